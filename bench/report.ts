import { figure, type Figure, median, table, written } from './figures.ts';
import type { Machine, Noise } from './machine.ts';
import type { Push } from './tasks/push.ts';
import type { Starts } from './tasks/starts.ts';
import type { Streams } from './tasks/streams.ts';
import type { Throughput } from './tasks/throughput.ts';

/** One system, started once. */
export interface Round {
  readonly push: Record<number, Push>;
  readonly senders: Record<string, Record<number, Throughput>>;
}

export interface Results {
  readonly machine: Machine;
  readonly noise: (Noise & { readonly before: string })[];
  readonly systems: Record<string, { readonly durability: string; readonly rounds: Round[] }>;
  readonly streams: Streams[];
  readonly starts: Starts[];
}

const PRODUCT = 'AgentWorks';
const CONNECT = 'floor: Connect + PostgreSQL';
const GRPCJS = 'floor: grpc-js + file';
const QUEUE = 'floor: PostgreSQL queue with NOTIFY';

/** Everything measured, medians over the rounds with the least and the most, and how it stands to the targets. */
export const report = (results: Results): string =>
  [about(results), sends(results), pushes(results), rest(results), targets(results)].filter(Boolean).join('\n\n');

function about({ machine, noise }: Results): string {
  const of = (key: 'load' | 'loopMs' | 'fsyncP50Ms' | 'fsyncP99Ms' | 'timerLateP99Ms') =>
    noise.length === 0 ? 'not probed' : written(figure(noise.map((probe) => probe[key])));
  return [
    `${machine.cores} cores (${machine.cpu}), kernel ${machine.kernel}, Node ${machine.node}`,
    `4 KiB write + fdatasync: p50 ${of('fsyncP50Ms')} ms, p99 ${of('fsyncP99Ms')} ms`,
    `noise: load ${of('load')}, fixed loop ${of('loopMs')} ms, timer late p99 ${of('timerLateP99Ms')} ms`,
    'Medians over all rounds (least–most). Bodies of 512 bytes.',
  ].join('\n');
}

function sends({ systems }: Results): string {
  const rows = Object.entries(systems).flatMap(([name, { rounds }]) =>
    Object.keys(rounds[0]!.senders).map((way) => {
      const of = (inFlight: number, key: keyof Throughput) =>
        written(figure(rounds.map((round) => round.senders[way]![inFlight]![key])));
      return [
        `${name}, ${way}`,
        of(1, 'perSecond'),
        of(1, 'p50Ms'),
        of(16, 'perSecond'),
        of(64, 'perSecond'),
        of(64, 'p99Ms'),
        of(64, 'ownCpuUs'),
        of(64, 'cpuUs'),
      ];
    }),
  );
  const heads = ['durable sends', '1: /s', '1: p50 ms', '16: /s', '64: /s', '64: p99 ms', 'server µs', '+ database µs'];
  return rows.length === 0 ? '' : table(heads, rows);
}

function pushes({ systems }: Results): string {
  const rows = Object.entries(systems).map(([name, { rounds }]) => {
    const of = (rate: number, key: keyof Push) => written(figure(rounds.map((round) => round.push[rate]![key])));
    const lost = rounds.flatMap(({ push }) => Object.values(push)).reduce((sum, each) => sum + each.lost, 0);
    return [name, of(100, 'p50Ms'), of(100, 'p99Ms'), of(500, 'p50Ms'), of(500, 'p99Ms'), `${lost}`];
  });
  const heads = ['send → open stream', '100/s: p50 ms', '100/s: p99 ms', '500/s: p50 ms', '500/s: p99 ms', 'lost'];
  return rows.length === 0 ? '' : table(heads, rows);
}

function rest({ streams, starts }: Results): string {
  const rows = [
    ...(streams.length === 0
      ? []
      : [
          [`idle stream on its own connection, KiB (${streams[0]!.streams})`, over(streams, 'kibPerStream')],
          ['streams back after kill -9, half of them, ms', over(streams, 'backP50Ms')],
          ['streams back after kill -9, all of them, ms', over(streams, 'backAllMs')],
        ]),
    ...(starts.length === 0
      ? []
      : [
          ['server cold start to first answered send, ms', over(starts, 'coldStartMs')],
          ['bare Node, ms', over(starts, 'bareNodeMs')],
          ['agentworks --help beyond bare Node, ms', over(starts, 'helpMs')],
          ['agentworks messages list beyond bare Node, ms', over(starts, 'commandMs')],
        ]),
  ];
  return rows.length === 0 ? '' : table(['the rest', ''], rows);
}

const over = <T>(rounds: readonly T[], key: keyof T): string =>
  written(figure(rounds.map((round) => round[key] as number)));

/** Round by round, since what disturbed one disturbed its neighbours. */
const ratio = (ours?: readonly number[], theirs?: readonly number[]) =>
  ours && theirs && ours.map((value, i) => value / (theirs[i] ?? median(theirs)));

/** The targets that this project set itself, as ratios within one run. */
function targets({ systems, streams, starts }: Results): string {
  const rows: string[][] = [];
  const add = (
    what: string,
    target: string,
    values: readonly number[] | undefined,
    isMet: (value: number) => boolean,
  ) => {
    if (values === undefined || values.length === 0) return;
    const found: Figure = figure(values);
    rows.push([what, target, written(found), isMet(found.median) ? 'yes' : 'NO']);
  };
  const at = (system: string, way: string, key: keyof Throughput) =>
    systems[system]?.rounds.map((round) => round.senders[way]![64]![key]);
  const pushAt = (system: string, key: keyof Push) => systems[system]?.rounds.map(({ push }) => push[100]![key]);

  const stream = at(PRODUCT, 'one stream', 'perSecond');
  const unary = at(PRODUCT, 'unary', 'perSecond');
  add('one stream ÷ PostgreSQL queue', '≥ 2', ratio(stream, at(QUEUE, 'a statement each', 'perSecond')), (v) => v >= 2);
  add('one stream, server µs a message', '≤ 120', at(PRODUCT, 'one stream', 'ownCpuUs'), (v) => v <= 120);
  add('unary ÷ Connect floor', '≥ 1', ratio(unary, at(CONNECT, 'unary', 'perSecond')), (v) => v >= 1);
  add('unary ÷ grpc-js floor (goal)', '≥ 0.7', ratio(unary, at(GRPCJS, 'unary', 'perSecond')), (v) => v >= 0.7);
  add(
    'push p50 at 100/s ÷ Connect floor',
    '≤ 2',
    ratio(pushAt(PRODUCT, 'p50Ms'), pushAt(CONNECT, 'p50Ms')),
    (v) => v <= 2,
  );
  add(
    'push p99 at 500/s, ms',
    '≤ 10',
    systems[PRODUCT]?.rounds.map(({ push }) => push[500]!.p99Ms),
    (v) => v <= 10,
  );
  add(
    'idle stream, KiB',
    '≤ 110',
    streams.map((round) => round.kibPerStream),
    (v) => v <= 110,
  );
  add(
    'all streams back, ms',
    '≤ 10,000',
    streams.map((round) => round.backAllMs),
    (v) => v <= 10_000,
  );
  add(
    'cold start, ms',
    '≤ 1,500',
    starts.map((round) => round.coldStartMs),
    (v) => v <= 1_500,
  );
  add(
    '--help beyond bare Node, ms',
    '≤ 250',
    starts.map((round) => round.helpMs),
    (v) => v <= 250,
  );
  add(
    'a simple command beyond bare Node, ms',
    '≤ 250',
    starts.map((round) => round.commandMs),
    (v) => v <= 250,
  );
  return rows.length === 0 ? '' : table(['target', 'wanted', 'found', 'met'], rows);
}
