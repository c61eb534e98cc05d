import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type GroupRegistry, killOrphans, openGroupRegistry } from '../../processes/group-registry.ts';
import { OperatorError } from '../../processes/operator-error.ts';
import { freePort } from '../../processes/ports.ts';
import { spawnWatched, type WatchedCommand } from '../../processes/watched-command.ts';
import { indexStreamRecords } from '../tuning/stream-records.ts';
import { type DatabaseWrites, databaseWrites } from '../tuning/write-watch.ts';

/** A running DynamoDB-compatible endpoint. */
export interface DynamoDb {
  readonly endpoint: string;
  /** Resolves when it stops unexpectedly; never while it runs or after `close`. */
  readonly failed: Promise<OperatorError>;
  /** Notifies of writes to it; null for an external one, whose file is elsewhere. */
  readonly writes: DatabaseWrites | null;
  close(): Promise<void>;
}

const START_LIMIT_MS = 60_000;
const PROBE_MS = 10;
const PORT_TAKEN = /already in use|address in use/i;
/** What SQLite says while another process has the same database open. */
const FILE_IN_USE = /disk I\/O|database is locked/i;
const START_ATTEMPTS = 5;
const IN_USE_PAUSE_MS = 500;

/**
 * Starts the DynamoDB emulator on a free loopback port, with its data in `file`; every acknowledged write survives a
 * kill. With `externalEndpoint`, the address of another DynamoDB-compatible server, nothing is started and that one is
 * used.
 *
 * @throws OperatorError when there is no emulator for this machine, the file is not a database, or nothing answers.
 */
export async function startDynamoDb(options: {
  file: string;
  externalEndpoint?: string | undefined;
}): Promise<DynamoDb> {
  if (options.externalEndpoint) return external(options.externalEndpoint);
  const binary = findBinary();
  const list = `${options.file}.processes`;
  // An emulator that outlived a kill of everything still writes to the database, and two must not.
  await killOrphans(list);
  const groups = await openGroupRegistry(list);
  const { database, endpoint } = await startIndexed({ binary, groups, file: options.file }).catch(async (error) => {
    await groups.close();
    throw error;
  });
  let closing = false;
  const writes = databaseWrites(options.file);
  return {
    endpoint,
    failed: new Promise((resolve) => {
      database.ended.then(() => closing || resolve(explain(database.errors(), options.file)));
    }),
    writes,
    close: async () => {
      closing = true;
      writes.close();
      await database.stop();
      await groups.close();
    },
  };
}

/** How to start the emulator, and the list of the processes that it consists of. */
interface Startable {
  readonly binary: string;
  readonly file: string;
  readonly groups: GroupRegistry;
}

/** The emulator creates its tables when it first runs, so it is started twice for a new database. */
async function startIndexed(startable: Startable): Promise<{ database: WatchedCommand; endpoint: string }> {
  const indexed = await indexStreamRecords(startable.file);
  const started = await startOnFreePort(startable);
  if (indexed) return started;
  await started.database.stop();
  await indexStreamRecords(startable.file);
  return startOnFreePort(startable);
}

/**
 * The emulator cannot choose a port itself, so another process may take the one found before the emulator does. After a
 * kill of the service, its emulator may still be closing the database.
 */
async function startOnFreePort(
  startable: Startable,
  attempts = START_ATTEMPTS,
): Promise<{ database: WatchedCommand; endpoint: string }> {
  const { binary, file, groups } = startable;
  const port = await freePort();
  const endpoint = `http://127.0.0.1:${port}`;
  const args = ['serve', '--host', '127.0.0.1', '--port', `${port}`, '--db-path', file];
  const database = spawnWatched(binary, args, groups);
  try {
    await answering(database, endpoint, file);
    return { database, endpoint };
  } catch (error) {
    const isInUse = FILE_IN_USE.test(database.errors());
    if (attempts === 1 || !(isInUse || PORT_TAKEN.test(database.errors()))) throw error;
    if (isInUse) await sleep(IN_USE_PAUSE_MS);
    return startOnFreePort(startable, attempts - 1);
  }
}

async function external(endpoint: string): Promise<DynamoDb> {
  if (!(await answers(endpoint))) {
    throw new OperatorError(
      `Nothing answers at DYNAMODB_ENDPOINT=${endpoint}: start that server or unset the variable.`,
    );
  }
  return { endpoint, failed: new Promise(() => {}), writes: null, close: async () => {} };
}

function findBinary(): string {
  const name = `@dynoxide/${process.platform}-${process.arch}`;
  try {
    const folder = dirname(createRequire(import.meta.url).resolve(`${name}/package.json`));
    return join(folder, process.platform === 'win32' ? 'dynoxide.exe' : 'dynoxide');
  } catch (cause) {
    throw new OperatorError(
      `The DynamoDB emulator is not installed for ${process.platform}-${process.arch}: ` +
        'set DYNAMODB_ENDPOINT to the address of any DynamoDB-compatible server, such as DynamoDB Local.',
      { cause },
    );
  }
}

async function answering(database: WatchedCommand, endpoint: string, file: string): Promise<void> {
  const deadline = Date.now() + START_LIMIT_MS;
  const dead = database.ended.then(() => true);
  while (!(await answers(endpoint, 'x-dynoxide-version'))) {
    const ended = await Promise.race([dead, sleep(PROBE_MS, false)]);
    if (ended) throw explain(database.errors(), file);
    if (Date.now() < deadline) continue;
    await database.stop();
    throw new OperatorError(`The DynamoDB emulator did not answer within ${START_LIMIT_MS / 1000} seconds: try again.`);
  }
}

/**
 * Whether a server answers, with the header given if one is: it distinguishes the emulator from another process on its
 * port. Of an external server any response counts, since servers differ in their response to a request without an
 * operation.
 */
async function answers(endpoint: string, header?: string): Promise<boolean> {
  try {
    const response = await fetch(endpoint, { signal: AbortSignal.timeout(2000) });
    await response.body?.cancel();
    return header === undefined || response.headers.has(header);
  } catch {
    return false;
  }
}

/** Translates what the emulator printed before it ended into a sentence that says what to do. */
export function explain(words: string, file: string): OperatorError {
  const cause = words ? new Error(words) : undefined;
  return new OperatorError(sentence(words, file), { cause });
}

function sentence(words: string, file: string): string {
  if (/not a valid SQLite|malformed|not a database|corrupt/i.test(words)) {
    return `The database ${file} is damaged: move that file away and start again; the log then starts empty.`;
  }
  if (/disk is full|no space/i.test(words)) {
    return `There is no space left for the database ${file}: free some disk space and start again.`;
  }
  if (FILE_IN_USE.test(words)) {
    return `The database ${file} cannot be used: end the process that has it open (fuser ${file} shows it) and start again; if there is none, check the disk.`;
  }
  if (PORT_TAKEN.test(words)) {
    return 'The port chosen for the DynamoDB emulator was taken meanwhile: start again.';
  }
  if (/unable to open|permission denied|readonly|read-only/i.test(words)) {
    return `The database ${file} cannot be opened for writing: check the folder and its permissions.`;
  }
  return `The DynamoDB emulator stopped by itself (${words || 'it printed nothing'}): start again.`;
}
