import { setTimeout as wait } from 'node:timers/promises';
import { percentile } from '../figures.ts';
import { type Started, watched } from '../system.ts';
import { bodyOf } from './throughput.ts';

export interface Push {
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly lost: number;
}

/** Open loop: sends at its own pace, whether or not answers come, and times each until the recipient's stream has it. */
export async function push(system: Started, perSecond: number, ms: number): Promise<Push> {
  const recipient = watched(perSecond);
  const sentAt = new Map<string, number>();
  const latencies: number[] = [];
  const receiver = await system.receiver(recipient, (body) => {
    const id = body.slice(0, body.indexOf(' '));
    const from = sentAt.get(id);
    if (from !== undefined) latencies.push(performance.now() - from);
    sentAt.delete(id);
  });
  const sender = await Object.values(system.senders)[0]!(8);
  const count = Math.floor((perSecond * ms) / 1000);
  const answers: Promise<unknown>[] = [];
  const begun = performance.now();
  for (let i = 0; i < count; i++) {
    const early = begun + (i * 1000) / perSecond - performance.now();
    if (early > 0) await wait(early);
    sentAt.set(`p${i}`, performance.now());
    answers.push(sender.send(recipient, bodyOf(`p${i}`)));
  }
  await Promise.all(answers);
  for (let i = 0; i < 100 && sentAt.size > 0; i++) await wait(20);
  receiver.close();
  await sender.close();
  return { p50Ms: percentile(latencies, 0.5), p99Ms: percentile(latencies, 0.99), lost: sentAt.size };
}
