import { join, resolve } from 'node:path';
import { isatty } from 'node:tty';
import { fileURLToPath } from 'node:url';
import { OperatorError } from '../lib/files/errors.ts';
import { logFile } from '../lib/files/log-file.ts';
import { overridesIn } from '../lib/local/config/config.ts';
import { isPackage, startPlace } from '../lib/local/config/start-place.ts';
import { sampleDeploy } from '../lib/local/sample/deploy.ts';
import { applicationsOf } from '../lib/local/show/applications.ts';
import { follow } from '../lib/local/show/follow.ts';
import { readyLines } from '../lib/local/show/ready.ts';
import { type LocalService, startLocal } from '../lib/local/start.ts';
import { shellQuote } from '../lib/process/command.ts';
import { closeInheritedDescriptors } from '../lib/process/inherited-descriptors.ts';
import { watchParents } from '../lib/process/parent-watch.ts';
import { Drawing } from '../lib/terminal/draw.ts';

const project = fileURLToPath(new URL('..', import.meta.url));
const drawing = new Drawing(process.stdout);
let service: LocalService | undefined;
let note: (line: object) => void = () => {};
let endingSince: number | undefined;
let outlivesTerminal = false;
/**
 * `nohup` and service managers detach input and output from the terminal; node resets the signal that `nohup` tells it
 * to ignore, so that these are the only sign. Asked at the start: a terminal that has been closed is none.
 */
const hasTerminal = isatty(0) || isatty(1);
const startedAt = Date.now() - process.uptime() * 1000;

closeInheritedDescriptors();
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, endOnSignal);
process.on('SIGHUP', endOnHangup);
process.stdout.on('error', () => void end(1, 'its output was closed'));
watchParents(() => {
  if (!outlivesTerminal) endAlone();
});

await run().catch(endOnFailure);

async function run(): Promise<void> {
  if (process.argv.length > 2) throw new OperatorError(`npm start takes no arguments, not ${process.argv[2]}.`);
  const { dataDir, port } = startPlace(process.env);
  const warn = (sentence: string) => void process.stderr.write(`${sentence}\n`);
  note = logFile({ path: join(dataDir, 'service.log'), warn });
  const started = performance.now();
  service = await startLocal({
    project,
    dataDir,
    port,
    overrides: overridesIn(process.env),
    step: (what) => drawing.line(`… ${what}`),
    log: note,
    warn: (warning) => note({ warning }),
    onRequest: note,
    onPlatformEvent: note,
  });
  void service.failed.then(endOnFailure);
  drawing.line(`Ready after ${((performance.now() - started) / 1000).toFixed(1)} s.`);
  const follower = follow({ ...service, since: startedAt }, (entry) => drawing.entry(entry));
  const sample = await sampleDeploy(service, dataDir);
  await follower.catchUp();
  const { url, addresses, login, engine } = service;
  const applications = await applicationsOf(engine.applications, login.user).catch((error: unknown) => {
    drawing.line(sentence(error));
    return [];
  });
  const lines = readyLines({
    url,
    addresses,
    user: login.user,
    dataDir,
    hooks: process.env.DATA_DIR ? `DATA_DIR=${shellQuote(resolve(dataDir))} hooks` : 'hooks',
    isPackage: isPackage(project),
    sample,
    applications,
  });
  for (const line of lines) drawing.line(line);
}

async function endOnFailure(error: unknown): Promise<void> {
  // Failures during the shutdown are expected.
  if (endingSince === undefined) drawing.line(sentence(error));
  await end(1, sentence(error));
}

function sentence(error: unknown): string {
  if (error instanceof OperatorError) return error.message;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

/** A second signal within this time is ignored: on Ctrl-C in `npm start`, npm forwards the signal as well. */
const SAME_SIGNAL_MS = 1000;

/** The first signal closes everything, a second one exits at once. */
function endOnSignal(signal: NodeJS.Signals): void {
  if (endingSince !== undefined && performance.now() - endingSince > SAME_SIGNAL_MS) process.exit(1);
  void end(0, signal);
}

/**
 * A terminal that closes ends what was started in it, but not what is detached from it. npm and its shell may end then.
 */
function endOnHangup(): void {
  if (hasTerminal) {
    endOnSignal('SIGHUP');
    return;
  }
  outlivesTerminal = true;
}

/** Nobody waits any more, and what a kill leaves behind is ended by the watchdog. */
const ALONE_MS = 8_000;

function endAlone(): void {
  void end(1, 'what started it has ended');
  setTimeout(() => process.exit(1), ALONE_MS).unref();
}

async function end(code: number, because: string): Promise<void> {
  if (endingSince !== undefined) return;
  endingSince = performance.now();
  note({ event: 'service ends', because });
  await service?.close().catch(() => {});
  process.exit(code);
}
