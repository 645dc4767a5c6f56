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
  const running = await serve(config, log, (refusal) => {
    log.fatal({ event: 'server.lost_its_folder', err: refusal });
    process.exit(1);
  });
  log.info({ event: 'server.listening', url: running.url, socket: running.socket, pid: process.pid });
  process.stdout.write(`AgentWorks is ready at ${running.url}\n\n${nextCommand(process.env)}\n`);

  let stops = 0;
  const stop = (signal: NodeJS.Signals) => {
    // Whoever asks twice wants it now. The database stays up and the next start takes it over.
    if (++stops > 1) process.exit(1);
    log.info({ event: 'server.stopping', signal });
    running.close().then(
      () => process.exit(0),
      (error: unknown) => {
        log.fatal({ event: 'server.stop_failed', err: error });
        process.exit(1);
      },
    );
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, stop);
}

async function migrateOnly({ database }: Config): Promise<void> {
  if (database === undefined)
    throw new StartRefusal('DATABASE_URL is not set, and the embedded database is migrated by every start', 2);
  await migrateDatabase(database);
  process.stdout.write(`The database ${database.database} is up to date.\n`);
}

try {
  await main();
} catch (error) {
  if (error instanceof StartRefusal) process.stderr.write(`agentworks server: ${error.message}\n`);
  else process.stderr.write(`agentworks server: a fault of ours stopped it\n${(error as Error).stack}\n`);
  process.exit(error instanceof StartRefusal ? error.exitCode : 1);
}
