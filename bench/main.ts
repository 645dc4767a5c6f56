// npm run bench -- [--quick] [--rounds N] [--out FILE] [--only sends,streams,starts]
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { machine, noise, type Noise } from './machine.ts';
import { report, type Results, type Round } from './report.ts';
import { rates, type System } from './system.ts';
import { agentworks } from './systems/agentworks.ts';
import { connectPostgres } from './systems/connect-postgres.ts';
import { grpcjsFile } from './systems/grpcjs-file.ts';
import { postgresQueue } from './systems/postgres-queue.ts';
import { push } from './tasks/push.ts';
import { starts } from './tasks/starts.ts';
import { streams } from './tasks/streams.ts';
import { throughput } from './tasks/throughput.ts';

const { values: asked } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    rounds: { type: 'string' },
    only: { type: 'string', default: 'sends,streams,starts' },
    out: { type: 'string' },
  },
});
/** Quick shows that everything runs; its figures mean nothing. */
const plan = asked.quick
  ? { rounds: 1, ms: 300, warmMs: 300, streams: 50, runs: 1 }
  : { rounds: 3, ms: 2_000, warmMs: 2_000, streams: 1_000, runs: 10 };
const rounds = Number(asked.rounds ?? plan.rounds);
const parts = asked.only.split(',');
const systems = [agentworks, connectPostgres, grpcjsFile, postgresQueue];

async function inFolder<T>(act: (folder: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'agentworks-bench-'));
  try {
    return await act(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function sends(system: System, folder: string): Promise<Round> {
  const started = await system.start(folder);
  try {
    // Code that has not run yet is several times slower, and would be all that is measured.
    await throughput(started, Object.values(started.senders)[0]!, 16, plan.warmMs);
    const pushes: Round['push'] = {};
    for (const perSecond of rates) pushes[perSecond] = await push(started, perSecond, 1.5 * plan.ms);
    const senders: Round['senders'] = {};
    for (const [way, open] of Object.entries(started.senders)) {
      await throughput(started, open, 16, plan.warmMs);
      senders[way] = {};
      for (const inFlight of [1, 16, 64]) senders[way][inFlight] = await throughput(started, open, inFlight, plan.ms);
    }
    return { push: pushes, senders };
  } finally {
    await started.stop();
  }
}

const say = (what: string) => process.stderr.write(`${what}\n`);
const results: Results = { machine: machine(), noise: [], systems: {}, streams: [], starts: [] };
const probe = async (folder: string, before: string): Promise<Noise> => {
  const found = { before, ...(await noise(folder)) };
  results.noise.push(found);
  return found;
};

// Interleaved, so that what the machine does meanwhile meets all of them.
for (let round = 1; round <= rounds; round++) {
  if (parts.includes('sends'))
    for (const system of systems)
      await inFolder(async (folder) => {
        say(`round ${round} of ${rounds}: ${system.name}; loop ${(await probe(folder, system.name)).loopMs} ms`);
        (results.systems[system.name] ??= { durability: system.durability, rounds: [] }).rounds.push(
          await sends(system, folder),
        );
      });
  if (parts.includes('starts'))
    await inFolder(async (folder) => {
      say(`round ${round} of ${rounds}: starts`);
      results.starts.push(await starts(folder, plan.runs));
    });
  if (parts.includes('streams'))
    await inFolder(async (folder) => {
      say(`round ${round} of ${rounds}: ${plan.streams} streams`);
      results.streams.push(await streams(folder, plan.streams));
    });
}
if (asked.out !== undefined) writeFileSync(asked.out, `${JSON.stringify(results, undefined, 1)}\n`);
process.stdout.write(`${report(results)}\n`);
process.exit(0);
