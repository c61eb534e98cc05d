import { constants } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import * as v from 'valibot';
import { jsonIn } from '../../../functions/core/json-value.ts';
import { Problem } from '../../client/client.ts';
import { fieldsOf } from '../../client/lines.ts';
import { TIME_LIMIT } from '../../client/output.ts';
import { resumed } from '../../client/resume.ts';
import { APP_OPTION, type Call, type CommandDefinition, SERVICE_OPTIONS } from '../command.ts';
import { type Api, api, parsed, Refusal } from '../service/api.ts';
import { findService } from '../service/find-service.ts';
import { appName } from './app-name.ts';

export const run: CommandDefinition = {
  name: 'run',
  summary: 'Run a command in the live release of an application, with its variables',
  details: `Before the first start it runs in the newest release that is built. Its output and its exit code are those of the command; Ctrl-C is passed on to it, and so is what comes in. It has
pipes and no terminal, so that a shell or a REPL needs -i. A single argument is a line for the shell.`,
  args: [{ name: '<command...>', about: 'after --, so that its options are its own' }],
  options: [APP_OPTION, ...SERVICE_OPTIONS],
  examples: [
    ['hooks run --app shop -- node scripts/seed.js', 'a script of the release'],
    ['hooks run -- bash -i', 'a shell in the folder of the release'],
    [
      "hooks run --app shop -- 'sqlite3 $DATA_DIR/shop.db .dump' > shop.sql",
      'a line for the shell, its output in a file',
    ],
  ],
  run: runCommand,
};

/** A command that runs: where it is read and written. */
interface Running {
  readonly service: Api;
  readonly path: readonly string[];
}

async function runCommand(call: Call): Promise<number> {
  // Not the signal of Ctrl-C, which is passed on to the command.
  const over = new AbortController();
  const service = api(await findService(call), over.signal);
  const app = await appName(call);
  const runs = ['apps', service.user, app, 'runs'];
  const command = call.args.several();
  // A shell or a REPL would wait without a prompt.
  if (call.stdin.isTTY && command.length === 1 && /^[\w./-]+$/.test(command[0] ?? '')) call.warn(NO_TERMINAL);
  const answer = await service.call({ method: 'POST', path: runs, body: { command } });
  const { id } = parsed(v.looseObject({ id: v.string() }), answer);
  const running = { service, path: [...runs, id] };
  const interrupt = () => void send(running, { signal: 'SIGINT' }).catch(() => undefined);
  call.signal.addEventListener('abort', interrupt);
  if (call.signal.aborted) interrupt();
  void forward(call, running, over.signal);
  try {
    return await output(call, running, over.signal);
  } finally {
    call.signal.removeEventListener('abort', interrupt);
    over.abort();
  }
}

const NO_TERMINAL = 'The command has pipes and no terminal: a shell or a REPL needs -i.';

function send({ service, path }: Running, body: unknown): Promise<unknown> {
  return service.call({ method: 'POST', path, body });
}

const PIECE_BYTES = 128 * 1024;
const FULL_PAUSE_MS = 300;

/** Sends what comes in, and its end. What the command does not read, because it has ended, is dropped. */
async function forward({ stdin, warn }: Call, running: Running, signal: AbortSignal): Promise<void> {
  try {
    for await (const chunk of stdin.chunks(signal)) {
      for (let at = 0; at < chunk.length; at += PIECE_BYTES) {
        await sendWhole(running, Buffer.from(chunk.subarray(at, at + PIECE_BYTES)).toString('base64'), signal);
      }
    }
    await send(running, { end: true });
  } catch (error) {
    // Else the command has ended; if it has not, its output says so.
    if (error instanceof Refusal && error.status === 501) warn(error.message);
  }
}

async function sendWhole(running: Running, data: string, signal: AbortSignal): Promise<void> {
  for (;;) {
    try {
      await send(running, { data });
      return;
    } catch (error) {
      if (!(error instanceof Refusal) || error.status !== 429) throw error;
      await pause(FULL_PAUSE_MS, undefined, { signal });
    }
  }
}

/** A command that nobody reads is ended after ten seconds. */
const PATIENCE = { maxFailures: 8, times: { minPauseMs: 1_000, maxPauseMs: 1_000, fullMs: 1_000 } };
const KILLED = 128 + constants.signals.SIGKILL;
const UNKNOWN =
  'The command is not known any more: its end was lost, nobody read it for ten seconds, or its runner has ended.';

/** Writes what the command says, and returns its exit code. An interrupted stream is taken up again. */
async function output({ stdout, stderr, warn }: Call, running: Running, signal: AbortSignal): Promise<number> {
  const onInterruption = () => warn('The output is interrupted; trying again. Some of it may be missing.');
  const stream = (came: () => void) => written(running, came);
  try {
    for await (const { stream: name, data, exit, reason } of resumed({ stream, onInterruption, signal, ...PATIENCE })) {
      if (typeof data === 'string') (name === 'stderr' ? stderr : stdout).write(Buffer.from(data, 'base64'));
      if (typeof reason === 'string') warn(`The command ${reason}, its limit, and was ended.`);
      if (typeof exit === 'number') return exit;
    }
  } catch (error) {
    if (!(error instanceof Problem) || error.status !== 404) throw running.service.explain(error);
    warn(UNKNOWN);
  }
  return KILLED;
}

/** Yields the pieces of one stream, until its time limit. */
async function* written({ service, path }: Running, came: () => void) {
  try {
    for await (const line of service.client.lines({ path })) {
      const piece = fieldsOf(jsonIn(line));
      if (piece.code === TIME_LIMIT) return false;
      came();
      yield piece;
    }
  } catch (error) {
    // The service has not noticed yet that the stream before was cut.
    const isEarly = error instanceof Problem && error.status === 409;
    throw isEarly ? new Error(error.message) : error;
  }
  throw new Error('the connection was cut');
}
