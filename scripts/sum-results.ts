import { globSync, readFileSync } from 'node:fs';

/** The last line of a build: what all suites counted together. Stages that failed without a test count as one each. */
const failedStages = Number(process.argv[2] ?? 0);
let passed = 0;
let failed = 0;
for (const file of globSync('test-results/*.json').toSorted()) {
  const report = JSON.parse(readFileSync(file, 'utf8')) as { numPassedTests: number; numFailedTests: number };
  process.stdout.write(`${file}: ${report.numPassedTests} passed, ${report.numFailedTests} failed\n`);
  passed += report.numPassedTests;
  failed += report.numFailedTests;
}
failed = Math.max(failed, failedStages);
process.stdout.write(`${passed} passed, ${failed} failed\n`);
process.exitCode = failed > 0 || passed === 0 ? 1 : 0;
