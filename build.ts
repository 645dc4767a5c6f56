import { rmSync, statSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build, type Plugin } from 'esbuild';
import { build as buildTypes } from 'tsdown';
import manifest from './package.json' with { type: 'json' };
import { notices } from './scripts/notices.ts';

/**
 * Writes `dist`, which with `bin` is all that the npm package holds. Every JavaScript package is inside the bundles: an
 * installation is then a handful of packages, starts faster, and runs what was tested (docs/decisions/one-package.md).
 */
const folder = 'dist';
rmSync(folder, { recursive: true, force: true });

/** Ink asks for it only where DEV is set, and it is no part of what we ship. */
const withoutDevtools: Plugin = {
  name: 'without-devtools',
  setup(bundler) {
    bundler.onResolve({ filter: /^react-devtools-core$/ }, () => ({ path: 'none', namespace: 'none' }));
    bundler.onLoad({ filter: /.*/, namespace: 'none' }, () => ({ contents: 'export default {}' }));
  },
};

const { metafile } = await build({
  entryPoints: {
    server: 'server/main.ts',
    cli: 'cli/entry.ts',
    bridge: 'bridge/main.ts',
    client: 'bridge/client/index.ts',
  },
  outdir: folder,
  bundle: true,
  splitting: true,
  platform: 'node',
  format: 'esm',
  target: 'node22',
  minify: true,
  // MikroORM and error reports go by the names of classes.
  keepNames: true,
  // Without these React's own development build is taken.
  define: { 'process.env.NODE_ENV': '"production"', 'process.env.DEV': '"false"' },
  plugins: [withoutDevtools],
  // What is native comes as optional packages, one a platform; pg's own native binding we do not use.
  external: [...Object.keys(manifest.optionalDependencies), 'pg-native'],
  // CommonJS packages inside the bundle still ask for Node's own modules by `require`.
  banner: {
    js: "import{createRequire as bundleRequire}from'node:module';const require=bundleRequire(import.meta.url);",
  },
  legalComments: 'none',
  metafile: true,
  logLevel: 'warning',
});

// The types of the SDK, with those of the generated code and of Connect inside: nobody must install them to compile.
await buildTypes({
  config: false,
  entry: { client: 'bridge/client/index.ts' },
  outDir: folder,
  clean: false,
  format: 'esm',
  platform: 'node',
  fixedExtension: false,
  dts: { emitDtsOnly: true },
  deps: { alwaysBundle: [/./], onlyBundle: false },
  logLevel: 'error',
});

const bundled = notices(Object.keys(metafile.inputs));
writeFileSync(join(folder, 'third-party-licenses.txt'), bundled.text);

const files = readdirSync(folder);
const bytes = files.reduce((sum, file) => sum + statSync(join(folder, file)).size, 0);
console.log(`${folder}: ${files.length} files, ${Math.round(bytes / 1024)} KiB, with ${bundled.count} packages inside`);
