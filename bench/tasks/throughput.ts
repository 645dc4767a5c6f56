import { percentile } from '../figures.ts';
import { cpuUs, ownCpuUs } from '../processes.ts';
import { recipients, type Sender, type Started } from '../system.ts';

const BODY_BYTES = 512;

const words = 'the build is green again and the second test needs a look before anyone merges it to main '.repeat(6);

/** Text of the usual size that begins with its own number. */
export const bodyOf = (id: number | string): string => `${id} ${words}`.slice(0, BODY_BYTES);

export interface Throughput {
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** CPU time a message of the system and its database, and of the first process alone. */
  readonly cpuUs: number;
  readonly ownCpuUs: number;
}

/** Closed loop: `inFlight` senders, each of which waits for its answer before it sends again. */
export async function throughput(
  system: Started,
  open: (inFlight: number) => Promise<Sender>,
  inFlight: number,
  ms: number,
): Promise<Throughput> {
  const sender = await open(inFlight);
  await Promise.all(Array.from({ length: inFlight }, (_, i) => sender.send(recipients[0], bodyOf(`first${i}`))));
  const latencies: number[] = [];
  const [cpu, own, begun] = [cpuUs(system.pids), ownCpuUs(system.pids[0]!), performance.now()];
  const loop = async (worker: number) => {
    for (let i = 0; performance.now() - begun < ms; i++) {
      const from = performance.now();
      await sender.send(recipients[(worker + i) % recipients.length]!, bodyOf(`${worker}.${i}`));
      latencies.push(performance.now() - from);
    }
  };
  await Promise.all(Array.from({ length: inFlight }, (_, worker) => loop(worker)));
  const seconds = (performance.now() - begun) / 1000;
  const result = {
    perSecond: latencies.length / seconds,
    p50Ms: percentile(latencies, 0.5),
    p99Ms: percentile(latencies, 0.99),
    cpuUs: (cpuUs(system.pids) - cpu) / latencies.length,
    ownCpuUs: (ownCpuUs(system.pids[0]!) - own) / latencies.length,
  };
  await sender.close();
  return result;
}
