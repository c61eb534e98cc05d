// The stack on emulators, to look at by hand: `npm run start:aws`. Nothing is kept for the next start.
import { rmSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { OperatorError } from '../../lib/files/errors.ts';
import { logFile } from '../../lib/files/log-file.ts';
import { startPlace } from '../../lib/local/config/start-place.ts';
import { watchParents } from '../../lib/process/parent-watch.ts';
import { type EmulatedService, startOnEmulators } from './service/start.ts';

const project = fileURLToPath(new URL('../..', import.meta.url));
const dataDir = join(project, '.local/start-aws');
let service: EmulatedService | undefined;
let isEnding = false;

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => void end(0));
watchParents(() => void end(1));
try {
  await run();
} catch (error) {
  if (!isEnding) print(error instanceof OperatorError ? error.message : String(error));
  await end(1);
}

async function run(): Promise<void> {
  rmSync(dataDir, { recursive: true, force: true });
  const log = logFile({ path: join(dataDir, 'functions.log'), warn: print });
  const { port } = startPlace(process.env);
  service = await startOnEmulators({
    project,
    dataDir,
    port,
    step: (what) => print(`… ${what}`),
    log,
    warn: (warning) => log({ warning }),
    onRequest: log,
  });
  const { url, login, repoHost, runtime } = service;
  const file = (name: string) => relative(process.cwd(), join(dataDir, name));
  print(`The page           ${url}/   (user ${login.user}, password in ${file('password')})`);
  print(`The WebSocket      ${runtime.template.outputs.SignalsUrl}`);
  print(`Push to            ${repoHost.cloneUrl(login.user, '<name>')}`);
  print(`What functions say ${file('functions.log')}`);
  print(`The AWS CLI        AWS_CONFIG_FILE=${file('aws/config')} aws dynamodb list-tables`);
}

async function end(code: number): Promise<void> {
  if (isEnding) return;
  isEnding = true;
  await service?.close().catch(() => {});
  process.exit(code);
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
