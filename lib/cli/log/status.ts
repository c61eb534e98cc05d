import { type Entry, numberOf, shaOf, subjectOf } from '../../client/entry.ts';
import { diskUseOf, freeDisk } from '../../local/disk/disk.ts';
import { Drawing, dateTime, type Paint } from '../../terminal/draw.ts';
import { printableJson } from '../../terminal/printable.ts';
import { APP_ARGUMENT, type Call, type CommandDefinition, EXIT, JSON_OPTION, SERVICE_OPTIONS } from '../command.ts';
import { Failure } from '../errors.ts';
import { serviceAt } from '../service/address.ts';
import { type Api, Refusal } from '../service/api.ts';
import { ownDataFolder } from '../service/data-folder.ts';
import { entryJson, logPage, reasonOf } from '../service/entry.ts';
import { findEntry } from '../service/find-entry.ts';
import { findApi, thisMachine } from '../service/find-service.ts';
import { paintStatus, printList, sizeText } from '../text.ts';

const NOTHING =
  'No call has reached the service yet. Is a webhook set up? "hooks hook <host> <owner/repository>" prints its settings; ' +
  "the host's own webhook page shows how each call was answered.";

export const status: CommandDefinition = {
  name: 'status',
  summary: 'Show the log of deploys, newest first, with the reason of each outcome',
  details: `Answers "my push did nothing": a push that was skipped, held, superseded or refused has a line here that says why.
No line at all means that the call did not reach the service.`,
  args: [{ ...APP_ARGUMENT, about: 'only its entries; default: those of all applications' }],
  options: [
    { flags: '--entry <entry>', about: 'one entry with its stages: its number (#12), id or address' },
    { flags: '-n, --limit <n>', about: 'number of entries, 1 to 100; default: 10' },
    { flags: '--skip <n>', about: 'leave out the newest ones' },
    { flags: '--disk', about: 'what the service on this machine uses of the disk' },
    { flags: '--free-disk', about: 'remove its caches, and releases but the live one and the one before it' },
    JSON_OPTION,
    ...SERVICE_OPTIONS,
  ],
  examples: [
    ['hooks status', 'the last ten entries'],
    ['hooks status shop --limit 50', 'more of them, of one application'],
    ['hooks status --disk', 'the disk space of the service in .local, or in DATA_DIR'],
    ['hooks status --entry 12', 'the stages of #12, its error and the last lines it printed'],
  ],
  run,
};

async function run(call: Call): Promise<number> {
  const { args } = call;
  if (args.flag('disk') || args.flag('free-disk')) return showDisk(call);
  const app = args.app();
  const limit = args.count('limit', 10, { min: 1, max: 100 });
  const skip = args.count('skip', 0, { min: 0, max: 1_000_000 });
  const client = await findApi(call);
  const entry = args.text('entry');
  if (entry !== undefined) return printEntry(await findEntry(client, entry), call);
  const { rows, total, sent, notice } = await logPage(client, { app, limit, skip }).catch((error) => {
    throw app !== undefined && error instanceof Refusal && error.code === 'status:db:not_found'
      ? unknownApp(app)
      : error;
  });
  if (notice !== undefined) call.warn(notice);
  if (call.stderr.isTTY) await nameService(client, call);
  return printList(call, {
    rows,
    cells: entryCells,
    json: sent.map(entryJson),
    ...(total === 0 && { none: NOTHING }),
  });
}

/** What was freed is made again when it is needed: the next builds take longer, and an earlier rollback builds. */
async function showDisk({ args, env, print, warn }: Call): Promise<number> {
  const dataDir = await ownDataFolder(env);
  const before = await diskUseOf(dataDir);
  if (args.flag('free-disk')) await freeDisk(dataDir, (await thisMachine(env)) !== null);
  const use = args.flag('free-disk') ? await diskUseOf(dataDir) : before;
  const [used, caches, most, free] = [use.used, use.caches, use.cacheLimit, use.free].map(sizeText);
  if (args.flag('json')) print(printableJson(use));
  else print(`${dataDir} takes ${used}, caches ${caches} of at most ${most}; ${free} are free.`);
  if (args.flag('free-disk')) warn(`Freed: ${sizeText(Math.max(0, before.used - use.used))}.`);
  return EXIT.ok;
}

/** Says in a terminal whose log it is. */
async function nameService({ service: { url, user } }: Api, { warn, signal }: Call): Promise<void> {
  const { version } = (await serviceAt(url, signal)) ?? {};
  warn(`The log of ${user} at ${url}${version === undefined ? '' : `, version ${version}`}:`);
}

function printEntry(entry: Entry, { args, print, stdout, env }: Call): number {
  const { doc } = entry;
  if (args.flag('json') || !doc) print(entryJson(entry));
  else new Drawing(stdout, { env, dated: true }).entry({ ...entry, doc });
  return 0;
}

function unknownApp(app: string): Failure {
  return new Failure(
    `No deploy of "${app}" is in the log (status:db:not_found). The name is that in its package.json; "hooks status" lists all entries.`,
  );
}

const SHA_LENGTH = 8;

/** Returns an entry as the cells of a line: number, time, application, status, commit, and why or where. */
function entryCells(entry: Entry, paint: Paint): string[] {
  const { doc, status } = entry;
  return [
    `#${numberOf(entry)}`,
    paint('dim', doc ? dateTime(doc.received_at) : ''),
    subjectOf(entry),
    paintStatus(status, paint),
    [doc?.branch, shaOf(entry)?.slice(0, SHA_LENGTH)].filter(Boolean).join(' '),
    outcome(entry),
  ];
}

/** Why the entry has its status; for one that is live, its message and address. */
function outcome(entry: Entry): string {
  const { doc, status } = entry;
  const message = doc?.message ? `“${doc.message}”` : '';
  if (status !== 'ok') return [doc?.operation, reasonOf(entry) || message, expiry(entry)].filter(Boolean).join('  ');
  return [doc?.operation, message, entry.url ?? doc?.url].filter(Boolean).join('  ');
}

function expiry({ status, expires_at }: Entry): string {
  return status === 'held' && expires_at ? `Expires ${dateTime(expires_at)}.` : '';
}
