import type { Session } from '#gen/agentworks/bridge/v1/local_pb.ts';
import { Refusal } from '../../bridge/client/index.ts';
import { whereIs } from '../../bridge/socket/where.ts';
import type { Answers } from '../answers.ts';
import { type Context, Usage } from '../command.ts';
import { hostOf } from '../plugins/hosts.ts';
import { hostName } from './session-words.ts';

/**
 * A chat without our plugin is attached with what works without it; the plugin is installed only where the person says
 * yes to its host and folder (ATT-5). Nobody to ask: it is only said.
 */
export async function offerPlugins(
  context: Context,
  sessions: readonly Session[],
  answers: Answers | undefined,
): Promise<void> {
  const missing = sessions.filter(({ hasPlugin, folder }) => !hasPlugin && folder !== '');
  const places = new Map(missing.map((session) => [`${session.provider}\0${session.folder}`, session]));
  for (const { provider, folder } of places.values()) {
    const what = `Our plugin for ${hostName(provider)} is not installed for ${folder}`;
    const how = `agentworks plugins install ${provider} --project ${folder}`;
    if (answers === undefined)
      context.face.say(`${what}. Until then its agent answers by its shell. Install it with: ${how}`);
    else await offer(context, { provider, folder, what, how }, answers);
  }
}

interface Place {
  readonly provider: string;
  readonly folder: string;
  readonly what: string;
  readonly how: string;
}

async function offer({ io, face, globals }: Context, place: Place, answers: Answers): Promise<void> {
  const { provider, folder, what, how } = place;
  try {
    const host = hostOf(provider, { io, where: whereIs(io.env, globals.config), program: undefined });
    const scope = { project: folder };
    const changes = await host.plan(scope);
    face.say(`${what}. Installing it will:`);
    for (const change of changes) face.say(`  ${change}`);
    const answer = (await answers.ask('Install it there? [y/N]')) ?? '';
    if (!/^y(es)?$/i.test(answer)) return face.say(`Not installed. Later: ${how}`);
    await host.install(scope);
    face.say('Installed. This chat has it once it is started again; what works without it works now.');
  } catch (error) {
    if (!(error instanceof Refusal || error instanceof Usage)) throw error;
    face.say(`${what}, and cannot be now: ${error instanceof Refusal ? error.sentence : error.message}`);
  }
}
