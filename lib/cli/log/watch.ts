import { setTimeout } from 'node:timers/promises';
import { followChanges } from '../../client/changes.ts';
import { type Entry, hasEnded } from '../../client/entry.ts';
import { printable, printableValue } from '../../terminal/printable.ts';
import { APP_ARGUMENT, type Call, type CommandDefinition, SERVICE_OPTIONS } from '../command.ts';
import { Failure, UsageError } from '../errors.ts';
import { type Api, api } from '../service/api.ts';
import { entryJson, entryOf, logPage } from '../service/entry.ts';
import { findEntry } from '../service/find-entry.ts';
import { findService } from '../service/find-service.ts';
import { EntryDrawing } from './entry-drawing.ts';
import { followEntry, report } from './follow-entry.ts';
import { DEFAULT_OUTCOMES, notifierOf, OUTCOMES } from './notifier.ts';

export const watch: CommandDefinition = {
  name: 'watch',
  summary: 'Show deploys as they happen, with their stages',
  details: `Runs until Ctrl-C, and reconnects when the connection breaks. The output of a build that takes longer than 3 s is shown too. With --exit-status it follows one deploy, ends with it, and exits with 0
when it is live and with 1 otherwise. With --run it calls a command for each deploy that fails, crashes or becomes what --on names: its entry is JSON on standard input, and
HOOKS_TEXT (a sentence), HOOKS_APP, HOOKS_STATUS, HOOKS_REASON, HOOKS_NUMBER, HOOKS_COMMIT, HOOKS_BRANCH, HOOKS_LINK and HOOKS_ADDRESS are its variables. The next start goes on where this one ended.`,
  args: [{ ...APP_ARGUMENT, about: 'only its deploys; default: those of all applications' }],
  options: [
    { flags: '--since <n>', about: 'begin after that change: a seq, 0 for all that is kept, or now (default)' },
    { flags: '--exit-status', about: 'follow one deploy: the one that is running, else the newest' },
    { flags: '--entry <entry>', about: 'that deploy: its number (#12), id or address; with --exit-status' },
    { flags: '--commit <sha>', about: 'the deploy of that commit, as soon as there is one; with --exit-status' },
    { flags: '--run <command>', about: 'call that command line of the shell for outcomes of deploys' },
    { flags: '--on <statuses>', about: `the outcomes: ${OUTCOMES.join(', ')}; default: ${DEFAULT_OUTCOMES}` },
    { flags: '--json', about: 'one JSON object a line' },
    ...SERVICE_OPTIONS,
  ],
  examples: [
    ['hooks watch', 'all deploys, from now on'],
    ['hooks watch shop --since 0', 'those of shop, from the first that is kept'],
    [`hooks watch --run 'curl -d "$HOOKS_TEXT" ntfy.sh/my-topic'`, 'tell a telephone what failed'],
    ['git push && hooks watch --exit-status --commit $(git rev-parse HEAD)', 'wait for what was pushed'],
  ],
  run,
};

async function run(call: Call): Promise<number> {
  const { args, env, stdout, warn, signal } = call;
  const since = readSince(args.text('since') ?? 'now');
  const one = args.flag('exit-status');
  if (!one && (args.text('entry') ?? args.text('commit')) !== undefined) {
    throw new UsageError('--entry and --commit choose the deploy of --exit-status.');
  }
  if (one && (args.text('run') ?? args.text('on')) !== undefined) {
    throw new UsageError('--exit-status ends with its deploy: put a command after it, in place of --run.');
  }
  const service = await findService(call);
  if (one) return exitStatus(call, api(service, signal));
  const app = args.app();
  const json = args.flag('json');
  const client = api(service, signal);
  const notifier = await notifierOf(call, service);
  const changes = followChanges(client.client, {
    since: notifier && since === 'now' ? await notifier.place(client) : since,
    app,
    includeDocs: json ? 'auto' : 'true',
    signal,
    onInterruption: (cause) => warn(`The stream of changes is interrupted (${printable(cause)}); trying again.`),
  });
  if (call.stderr.isTTY)
    warn(`Watching ${app ?? 'all applications'} of ${service.user} at ${service.url}; Ctrl-C ends it.`);
  const drawing = new EntryDrawing(client, stdout, { env, dated: true });
  try {
    for await (const row of changes) {
      const entry = json ? null : entryOf(row);
      if (entry && notifier) await notifier.handle(printableValue(entry));
      else if (entry?.doc) await drawing.entry(entry);
      else call.print(entryJson(row));
    }
  } catch (error) {
    throw client.explain(error);
  } finally {
    drawing.close();
  }
  return 0;
}

function readSince(text: string): number | 'now' {
  if (text === 'now') return 'now';
  if (/^\d{1,12}$/.test(text)) return Number(text);
  throw new UsageError('--since takes the number of a change, 0 or now.');
}

const POLL_MS = 500;
/** Hosts deliver within seconds; what has not come by then will not come. */
const MAX_WAIT_MS = 5 * 60 * 1000;

/** Follows one deploy to its end. Returns 0 when it is live, else 1. */
async function exitStatus(call: Call, client: Api): Promise<number> {
  return report(call, await followEntry(call, client, await chosen(call, client)));
}

async function chosen(call: Call, client: Api): Promise<Entry> {
  const { args, warn, stderr } = call;
  const [name, commit] = [args.text('entry'), args.text('commit')];
  if (name !== undefined && commit !== undefined)
    throw new UsageError('Only one of --entry and --commit can be given.');
  if (name !== undefined) return findEntry(client, name);
  const app = args.app();
  if (commit === undefined) return newest(client, app);
  if (!/^[0-9a-f]{7,64}$/.test(commit)) throw new UsageError('--commit takes the id of a commit: 7 to 40 hex digits.');
  if (stderr.isTTY) warn(`Waiting for a deploy of ${commit.slice(0, 8)} …`);
  return ofCommit(client, commit, call.signal);
}

/** The deploy in progress that is the newest; else the newest of all. */
async function newest(client: Api, app: string | undefined): Promise<Entry> {
  const { rows } = await logPage(client, { app });
  const entry = rows.find((row) => !hasEnded(row)) ?? rows[0];
  if (entry) return entry;
  throw new Failure('No call has reached the service yet: there is no deploy to follow.');
}

/** Waits for the call of the repository host, which may come after the push has ended. */
async function ofCommit(client: Api, sha: string, signal: AbortSignal): Promise<Entry> {
  const end = performance.now() + MAX_WAIT_MS;
  while (performance.now() < end) {
    const { rows } = await logPage(client);
    const entry = rows.find(({ commit }) => commit?.slice(commit.lastIndexOf('/') + 1).startsWith(sha));
    if (entry) return entry;
    await setTimeout(POLL_MS, undefined, { signal });
  }
  throw new Failure(`No call about ${sha} has come within five minutes: did the host's webhook call the service?`);
}
