import { createClient } from '@connectrpc/connect';
import { AccessService } from '#gen/agentworks/access/v1/access_pb.ts';
import { Health, HealthCheckResponse_ServingStatus as Status } from '#gen/grpc/health/v1/health_pb.ts';
import manifest from '../../package.json' with { type: 'json' };
import { type Destination, openTransport } from '../../bridge/client/transport.ts';
import { type Check, fail, failed, ok, warn } from './check.ts';

/** Clocks further apart make "expires in" and "seen" read wrong; nothing in the server depends on a client's clock. */
const SKEW_SECONDS = 30;

/** What only an answer can show: that there is one, from whom, and what time it is there. */
export async function checkAnswers(destination: Destination): Promise<Check[]> {
  const { transport, close } = openTransport(destination);
  try {
    const health = await checkHealth(createClient(Health, transport));
    if (destination.secret === undefined) return [health];
    return [health, ...(await checkSignIn(createClient(AccessService, transport)))];
  } finally {
    close();
  }
}

async function checkHealth(client: { check(request: object): Promise<{ status: Status }> }): Promise<Check> {
  try {
    const { status } = await client.check({});
    if (status === Status.SERVING) return ok('health', 'the server and its database answer');
    return fail('health', 'the server answers, its database does not', "See the server's log.");
  } catch (error) {
    return failed('health', error);
  }
}

async function checkSignIn(client: ReturnType<typeof createClient<typeof AccessService>>): Promise<Check[]> {
  let theirs: Date | undefined;
  try {
    const who = await client.whoAmI({}, { onHeader: (header) => (theirs = dateIn(header)) });
    return [
      ok('sign-in', `${who.accountName}, connection ${who.connectionId}`),
      checkVersions(manifest.version, who.serverVersion),
      ...(theirs === undefined ? [] : [checkClock(theirs, new Date())]),
    ];
  } catch (error) {
    return [failed('sign-in', error)];
  }
}

function dateIn(header: Headers): Date | undefined {
  const date = header.get('date');
  return date === null ? undefined : new Date(date);
}

export function checkVersions(ours: string, theirs: string): Check {
  if (ours === theirs) return ok('versions', `both ${ours}`);
  const found = `this is ${ours}, the server is ${theirs}`;
  return warn('versions', found, 'Update the server first, then this: npm install -g agentworks');
}

export function checkClock(theirs: Date, ours: Date): Check {
  const seconds = Math.round((ours.getTime() - theirs.getTime()) / 1_000);
  if (Math.abs(seconds) <= SKEW_SECONDS) return ok('clock', `within ${SKEW_SECONDS} s of the server's`);
  const found = `${Math.abs(seconds)} s ${seconds > 0 ? 'ahead of' : 'behind'} the server's`;
  return warn('clock', found, 'Set the time on this computer.');
}
