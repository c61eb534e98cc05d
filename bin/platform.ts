import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { HELP, platformCommand } from '../lib/platform/command/options.ts';
import { type RunningPlatform, runPlatform } from '../lib/platform/command/run.ts';
import { watchParents } from '../lib/process/parent-watch.ts';

const project = fileURLToPath(new URL('..', import.meta.url));
let platform: RunningPlatform | undefined;
let endingSince: number | undefined;

/** A second signal within this time is ignored: on Ctrl-C npm forwards the signal as well. */
const SAME_SIGNAL_MS = 1000;

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, endOnSignal);
// A terminal that closes ends what was started in it.
process.on('SIGHUP', () => process.stdout.isTTY && endOnSignal());
process.stdout.on('error', () => void end(1));
watchParents(() => void end(1));

try {
  await run();
} catch (error) {
  if (endingSince === undefined) process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
  await end(1);
}

async function run(): Promise<void> {
  const at = {
    env: process.env,
    folder: process.env.INIT_CWD ?? project,
    dataDir: join(project, '.local', 'platform-alone'),
  };
  const command = platformCommand(process.argv.slice(2), at);
  if (!command) {
    process.stdout.write(`${HELP}\n`);
    return;
  }
  platform = await runPlatform(command, (event) => {
    process.stdout.write(`${JSON.stringify({ at: new Date().toISOString(), ...event })}\n`);
  });
  process.stdout.write(`The platform answers at ${platform.url}; Ctrl-C ends it and its applications.\n`);
}

function endOnSignal(): void {
  if (endingSince !== undefined && performance.now() - endingSince > SAME_SIGNAL_MS) process.exit(1);
  void end(0);
}

async function end(code: number): Promise<void> {
  if (endingSince !== undefined) return;
  endingSince = performance.now();
  await platform?.close().catch(() => undefined);
  process.exit(code);
}
