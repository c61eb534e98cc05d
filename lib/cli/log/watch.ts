import { followChanges } from '../../client/changes.ts';
import { printable } from '../../terminal/printable.ts';
import { APP_ARGUMENT, type Call, type CommandDefinition, SERVICE_OPTIONS } from '../command.ts';
import { UsageError } from '../errors.ts';
import { api } from '../service/api.ts';
import { entryJson, entryOf } from '../service/entry.ts';
import { findService } from '../service/find-service.ts';
import { EntryDrawing } from './entry-drawing.ts';
import { exitStatus } from './exit-status.ts';

export const watch: CommandDefinition = {
  name: 'watch',
  summary: 'Show deploys as they happen, with their stages',
  details: `Runs until Ctrl-C, and reconnects when the connection breaks. The output of a build that takes longer than 3 s is shown too. With --exit-status it follows one deploy, ends with it, and exits with 0
when it is live and with 1 otherwise.`,
  args: [{ ...APP_ARGUMENT, about: 'only its deploys; default: those of all applications' }],
  options: [
    { flags: '--since <n>', about: 'begin after that change: a seq, 0 for all that is kept, or now (default)' },
    { flags: '--exit-status', about: 'follow one deploy: the one that is running, else the newest' },
    { flags: '--entry <entry>', about: 'that deploy: its number (#12), id or address; with --exit-status' },
    { flags: '--commit <sha>', about: 'the deploy of that commit, as soon as there is one; with --exit-status' },
    { flags: '--json', about: 'one JSON object a line' },
    ...SERVICE_OPTIONS,
  ],
  examples: [
    ['hooks watch', 'all deploys, from now on'],
    ['hooks watch shop --since 0', 'those of shop, from the first that is kept'],
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
  const service = await findService(call);
  if (one) return exitStatus(call, api(service, signal));
  const app = args.app();
  const json = args.flag('json');
  const client = api(service, signal);
  const changes = followChanges(client.client, {
    since,
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
      if (entry?.doc) await drawing.entry(entry);
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
