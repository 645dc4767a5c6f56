import { migrateDatabase, serve } from './compose.ts';
import { type Config, readConfig } from './core/config.ts';
import { newLog } from './core/log.ts';
import { StartRefusal } from './core/start-refusal.ts';
import { nextCommand } from './next-command.ts';

/** 0 after an ordered stop, 2 when a setting is wrong, 1 for everything else. */
async function main(): Promise<void> {
  const config = readConfig(process.env);
  if (process.argv[2] === 'migrate') return migrateOnly(config);
  const log = newLog(config.logLevel);
  const told = stopSignal();
  const running = await serve(config, log, (refusal) => {
    log.fatal({ event: 'server.lost_its_folder', err: refusal });
    process.exit(1);
  });
  log.info({ event: 'server.listening', url: running.url, socket: running.socket, pid: process.pid });
  process.stdout.write(`AgentWorks is ready at ${running.url}\n\n${nextCommand(process.env)}\n`);
  log.info({ event: 'server.stopping', signal: await told });
  await running.close();
}

/** Listened for from the beginning, so that a start that is interrupted leaves nothing behind either. */
function stopSignal(): Promise<NodeJS.Signals> {
  return new Promise((done) => {
    let first: { readonly signal: string; readonly at: number } | undefined;
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
      process.on(signal, () => {
        // One ask may arrive twice at once: sent to the whole process group, and passed on by the command line.
        const isEcho = first?.signal === signal && performance.now() - first.at < 1_000;
        // Whoever asks twice wants it now; the next start takes over the database.
        if (first !== undefined && !isEcho) process.exit(1);
        first ??= { signal, at: performance.now() };
        done(signal);
      });
  });
}

async function migrateOnly({ database }: Config): Promise<void> {
  if (database === undefined)
    throw new StartRefusal('DATABASE_URL is not set, and the embedded database is migrated by every start', 2);
  await migrateDatabase(database);
  process.stdout.write(`The database ${database.database} is up to date.\n`);
}

try {
  await main();
  process.exit(0);
} catch (error) {
  if (error instanceof StartRefusal) process.stderr.write(`agentworks server: ${error.message}\n`);
  else process.stderr.write(`agentworks server: a fault of ours stopped it\n${(error as Error).stack}\n`);
  process.exit(error instanceof StartRefusal ? error.exitCode : 1);
}
