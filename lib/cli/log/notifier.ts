import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import * as v from 'valibot';
import { lastChange } from '../../client/changes.ts';
import { type Entry, FINAL_STATUSES, idOf, numberOf, pageAddress, shaOf } from '../../client/entry.ts';
import { replaceFile } from '../../files/atomic-file.ts';
import { ABORTED, MISSING, unless } from '../../files/errors.ts';
import { exitOf } from '../../process/command.ts';
import { killGroup } from '../../process/process-group.ts';
import type { Call } from '../command.ts';
import { Failure, UsageError } from '../errors.ts';
import type { Api } from '../service/api.ts';
import { entryJson, reasonOf } from '../service/entry.ts';
import type { StoredLogin } from '../service/stored-login.ts';
import { outcomeSentence } from './follow-entry.ts';

/** What a command may be called for. */
export const OUTCOMES = [...FINAL_STATUSES, 'held'];
export const DEFAULT_OUTCOMES = 'error,crashed,expired';

/** What is said, and by what. */
export interface Notices {
  readonly service: StoredLogin;
  /** The application whose deploys are said; absent: all. */
  readonly app: string | undefined;
  /** The statuses that are said. */
  readonly on: readonly string[];
  /** A command line for the shell. */
  readonly run: string;
  /** Waits so many milliseconds, at most until the signal aborts. */
  readonly pause?: (milliseconds: number, signal: AbortSignal) => Promise<void>;
}

/** Where a command is called. */
type Caller = Pick<Call, 'env' | 'folder' | 'stderr' | 'signal' | 'print' | 'warn'>;

interface Notifier {
  /** Returns the change after which it goes on. From the first start on none is missed. */
  place(api: Api): Promise<number>;
  /** Calls the command when a change gives its entry one of the statuses, and keeps the place of the change. */
  handle(entry: Entry): Promise<void>;
}

/** Pauses after each call that has failed: an hour, as a repository host that is away is asked again. */
const PAUSES_MS = [1000, 5000, 30_000, 60_000, ...Array<number>(12).fill(300_000)];
const LIMIT_MS = 60_000;
/** Entries whose status is known: older ones change rarely. */
const KNOWN_ENTRIES = 1000;

const Kept = v.object({ since: v.nullable(v.number()), statuses: v.array(v.tuple([v.string(), v.string()])) });

/** Returns the notifier that a call asks for by `--run` and `--on`; null without. Throws a `UsageError`. */
export async function notifierOf(call: Call, service: StoredLogin): Promise<Notifier | null> {
  const { args } = call;
  const [run, on] = [args.text('run'), args.text('on')];
  if (run === undefined && on !== undefined) throw new UsageError('--on says what --run is called for.');
  if (run === undefined) return null;
  if (args.flag('json')) throw new UsageError('--run prints what it says, and no JSON.');
  return openNotifier(call, { service, app: args.app(), on: readOutcomes(on ?? DEFAULT_OUTCOMES), run });
}

function readOutcomes(text: string): readonly string[] {
  const outcomes = text.split(',').map((one) => one.trim());
  const unknown = outcomes.find((one) => !OUTCOMES.includes(one));
  if (unknown === undefined) return outcomes;
  throw new UsageError(`--on takes ${OUTCOMES.join(', ')}, with commas between them; "${unknown}" is none of them.`);
}

/**
 * Calls a command for what happens to deploys. What it has handled is in a file for each service, user, application and
 * command, so that the next start goes on there: a change is said once, but after a kill during its call, twice.
 */
export async function openNotifier(call: Caller, notices: Notices): Promise<Notifier> {
  const file = stateFile(call.env, notices);
  const kept = await read(file);
  const statuses = new Map(kept.statuses);
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  const keep = (since: number) => replaceFile(file, JSON.stringify({ since, statuses: [...statuses] }));
  return {
    async place({ client, explain }) {
      if (kept.since !== null) return kept.since;
      const last = await lastChange(client, call.signal).catch((error) => {
        throw explain(error);
      });
      await keep(last);
      return last;
    },
    async handle(entry) {
      const { id, status, seq } = entry;
      const isNews = statuses.get(id) !== status && notices.on.includes(outcomeOf(entry));
      if (isNews) await say(call, notices, entry);
      if (call.signal.aborted) return;
      statuses.delete(id);
      statuses.set(id, status);
      const [oldest] = statuses.keys();
      if (statuses.size > KNOWN_ENTRIES && oldest !== undefined) statuses.delete(oldest);
      await keep(seq);
    },
  };
}

/** The end of an incident is told to whom its begin was told. */
function outcomeOf({ status, operation }: Entry): string {
  return status === 'ok' && operation === 'incident' ? 'crashed' : status;
}

/** https://specifications.freedesktop.org/basedir-spec/latest/ */
function stateFile(env: Call['env'], { service, app, on, run }: Notices): string {
  const folder = env.XDG_STATE_HOME || join(env.HOME || homedir(), '.local', 'state');
  const told = JSON.stringify([service.url, service.user, app, [...on].sort(), run]);
  const name = createHash('sha256').update(told).digest('hex').slice(0, 16);
  return join(folder, 'deployment-webhooks', `watch-${name}.json`);
}

async function read(file: string): Promise<v.InferOutput<typeof Kept>> {
  const text = await unless(MISSING, readFile(file, 'utf8'));
  if (text === undefined) return { since: null, statuses: [] };
  try {
    return v.parse(Kept, JSON.parse(text));
  } catch (cause) {
    throw new Failure(`${file} cannot be read: remove it to begin with what happens from now on.`, { cause });
  }
}

/**
 * Calls the command until it succeeds, while what comes after it waits in the log: its receiver may be away. A command
 * that always fails must not hold that up for good.
 */
async function say(call: Caller, { service, run, pause = paused }: Notices, entry: Entry): Promise<void> {
  const { print, warn, signal } = call;
  const text = outcomeSentence(entry);
  print(text);
  for (const pauseMs of [...PAUSES_MS, null]) {
    if (signal.aborted) return;
    const failure = await runOnce(call, run, { variables: variablesOf(entry, service, text), input: entryJson(entry) });
    if (failure === null || signal.aborted) return;
    const next = pauseMs === null ? 'it is passed over' : `again in ${pauseMs / 1000} s`;
    warn(`"${run}" ${failure} for #${numberOf(entry)}: ${next}.`);
    if (pauseMs !== null) await pause(pauseMs, signal);
  }
}

async function paused(milliseconds: number, signal: AbortSignal): Promise<void> {
  await unless(ABORTED, setTimeout(milliseconds, undefined, { signal }));
}

/** What the command is told besides the entry on its standard input; empty where there is nothing. */
function variablesOf(entry: Entry, { url, user }: StoredLogin, text: string): Record<string, string> {
  return {
    HOOKS_TEXT: text,
    HOOKS_APP: entry.app_name ?? '',
    HOOKS_STATUS: entry.status,
    HOOKS_REASON: reasonOf(entry),
    HOOKS_NUMBER: String(numberOf(entry)),
    HOOKS_COMMIT: shaOf(entry) ?? '',
    HOOKS_BRANCH: entry.doc?.branch ?? '',
    HOOKS_LINK: pageAddress(url, { user, id: idOf(entry) }),
    HOOKS_ADDRESS: entry.url ?? entry.doc?.url ?? '',
  };
}

interface CommandInput {
  readonly variables: Readonly<Record<string, string>>;
  readonly input: string;
}

/** Returns how the command has failed, as the end of a sentence; null when it succeeded. */
async function runOnce(
  { env, folder, stderr, signal }: Caller,
  run: string,
  { variables, input }: CommandInput,
): Promise<string | null> {
  // Node's pipe is a socket, which a script cannot open as /dev/stdin.
  const child = spawn('/bin/sh', ['-c', 'cat | /bin/sh -c "$0"', run], {
    cwd: folder,
    env: { ...env, ...variables },
    detached: true,
  });
  const ended = AbortSignal.any([signal, AbortSignal.timeout(LIMIT_MS)]);
  const kill = () => {
    if (child.pid !== undefined) killGroup(child.pid);
  };
  ended.addEventListener('abort', kill, { once: true });
  for (const output of [child.stdout, child.stderr]) output.on('data', (piece: Buffer) => stderr.write(piece));
  // A command that does not read its input closes it.
  child.stdin.on('error', () => {});
  child.stdin.end(`${input}\n`);
  try {
    const { code } = await exitOf(child);
    if (code === 0) return null;
    return code === null ? `did not end within ${LIMIT_MS / 1000} s` : `exited with code ${code}`;
  } finally {
    ended.removeEventListener('abort', kill);
  }
}
