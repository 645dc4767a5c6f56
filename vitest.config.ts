import { defineConfig } from 'vitest/config';

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < 22 || (major === 22 && minor < 18))
  throw new Error(
    `the tests need Node 22.18 or newer and this is ${process.version}; run them by \`npm test\`, which brings its own`,
  );

const elsewhere = ['test/crash/**', 'test/e2e/**', 'test/hosts/**'];
const suite = (
  name: string,
  include: readonly string[],
  exclude: readonly string[],
  seconds: number,
  cluster = 'test/world/cluster.ts',
) => ({
  test: {
    name,
    include: [...include],
    exclude: ['node_modules', 'dist', ...exclude],
    globalSetup: [cluster],
    pool: 'forks' as const,
    testTimeout: seconds * 1_000,
    hookTimeout: seconds * 1_000,
  },
});

/** `npm test` runs the fast suite; the others have a script, a folder and a time budget of their own. */
export default defineConfig({
  test: {
    projects: [
      suite('fast', ['**/*.test.ts'], elsewhere, 20),
      suite('crash', ['test/crash/**/*.test.ts'], [], 300, 'test/crash/cluster.ts'),
      suite('e2e', ['test/e2e/**/*.test.ts'], [], 120),
      suite('hosts', ['test/hosts/**/*.test.ts'], [], 300),
    ],
  },
});
