import { Reason } from '#gen/agentworks/common/v1/problem_pb.ts';
import type { Database, Manager } from '../core/database.ts';
import type { Ended } from '../core/endings.ts';
import type { Notifier } from '../core/notifier.ts';
import { Problem } from '../core/problem.ts';
import { audit } from './audit.ts';
import { readTargets } from './bounds.ts';
import type { Known } from './callers.ts';
import { noConnection } from './revoke.ts';
import { readScopes, scopes as every } from './scopes.ts';
import { changeConnection, type ChangeableRow, childrenOf, lockConnection } from './store/connections.ts';
import { type ShownConnection, shownOne } from './store/shown.ts';

/** Undefined keeps what is stored; an empty list leaves nothing. */
export interface Change {
  readonly connectionId: string;
  readonly label: string | undefined;
  readonly scopes: readonly string[] | undefined;
  readonly targets: readonly string[] | undefined;
}

/**
 * Renames a connection, or takes from what it may. When it answers, every node judges it and its children by what is
 * left: what they had open has ended, to be asked for again.
 */
export async function updateConnection(
  deps: { readonly orm: Database; readonly notifier: Notifier },
  caller: Known,
  input: Change,
): Promise<ShownConnection> {
  const { connectionId } = input;
  const wanted = {
    ...input,
    scopes: input.scopes && readScopes(input.scopes),
    targets: input.targets && readTargets(input.targets),
  };
  const { shown, settle } = await deps.orm.em.fork().transactional(async (em) => {
    const row = await lockConnection(em, caller.accountId, connectionId);
    if (row === undefined) throw noConnection(connectionId);
    checkNarrower(row, wanted);
    const to = {
      label: wanted.label ?? row.label,
      scopes: wanted.scopes ?? row.scopes,
      targets: wanted.targets ?? row.targets,
    };
    await changeConnection(em, connectionId, to);
    await audit(em, {
      accountId: caller.accountId,
      kind: 'connection.updated',
      connectionId: caller.connectionId,
      subject: connectionId,
      sentence: sentenceOf(row, to),
    });
    const ends =
      isSame(row.scopes, to.scopes) && isSame(row.targets, to.targets) ? [] : await narrowed(em, connectionId);
    return { shown: await shownOne(em, connectionId), settle: await deps.notifier.endIn(em, ends) };
  });
  await settle();
  return shown;
}

const narrowed = async (em: Manager, id: string): Promise<Ended[]> =>
  [id, ...(await childrenOf(em, id))].map((ended) => ({ id: ended, cause: 'narrowed' }));

/** What a person may is not given in parts, and an attached agent has what its attachment gives it. */
const WHOLE = { login: 'a login', browser: 'a sign-in of a browser', child: 'the connection of an attached agent' };

type Narrowing = Pick<Change, 'connectionId' | 'scopes' | 'targets'>;

function checkNarrower(row: ChangeableRow, { connectionId, scopes, targets }: Narrowing): void {
  if (scopes === undefined && targets === undefined) return;
  const subject = scopes === undefined ? 'targets' : 'scopes';
  if (row.kind in WHOLE) {
    const what = WHOLE[row.kind as keyof typeof WHOLE];
    const sentence = `${connectionId} is ${what}, which is not narrowed; revoke it, or make a connection of its own for what should do less`;
    throw new Problem(Reason.NOT_ALLOWED, sentence, { subject });
  }
  checkAmong('scopes', scopes, row.scopes ?? every);
  if (row.targets !== null) checkAmong('targets', targets, row.targets);
}

/** What was taken away comes back only by a new consent. */
function checkAmong(subject: string, wanted: readonly string[] | undefined, has: readonly string[]): void {
  const more = wanted?.filter((one) => !has.includes(one)) ?? [];
  if (more.length === 0) return;
  throw new Problem(
    Reason.NOT_ALLOWED,
    `a connection is only narrowed, and this one has not ${more.slice(0, 5).join(', ')}; make another, or let the program ask for it`,
    { subject },
  );
}

const isSame = (a: readonly string[] | null, b: readonly string[] | null): boolean =>
  JSON.stringify(a) === JSON.stringify(b);

const words = (list: readonly string[] | null): string =>
  list === null ? 'all' : list.length === 0 ? 'none' : list.join(', ');

function sentenceOf(from: ChangeableRow, to: Omit<ChangeableRow, 'kind'>): string {
  const parts = [
    ...(from.label === to.label ? [] : [`renamed from ${from.label} to ${to.label}`]),
    ...(isSame(from.scopes, to.scopes) ? [] : [`scopes left: ${words(to.scopes)}`]),
    ...(isSame(from.targets, to.targets) ? [] : [`targets left: ${words(to.targets)}`]),
  ];
  return parts.length === 0 ? 'asked for as it was' : parts.join('; ');
}
