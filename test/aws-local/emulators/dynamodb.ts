import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { killOrphans, openGroupRegistry } from '../../../lib/processes/group-registry.ts';
import { OperatorError } from '../../../lib/processes/operator-error.ts';
import { indexStreamRecords } from '../tuning/stream-records.ts';
import { type DatabaseWrites, databaseWrites } from '../tuning/write-watch.ts';
import {
  type DatabaseCommand,
  type DatabaseProcess,
  FILE_IN_USE,
  PORT_TAKEN,
  startDatabase,
} from './database-process.ts';

/** A running DynamoDB-compatible endpoint. */
export interface DynamoDb {
  readonly endpoint: string;
  /** Whether it can be reached with a signature only, even by another user of this machine. */
  readonly isIsolated: boolean;
  /** Resolves when it stops unexpectedly; never while it runs or after `close`. */
  readonly failed: Promise<OperatorError>;
  /** Notifies of writes to it; null for an external one, whose file is elsewhere. */
  readonly writes: DatabaseWrites | null;
  close(): Promise<void>;
}

/**
 * Starts the DynamoDB emulator on a free loopback port, with its data in `file`; every acknowledged write survives a
 * kill. Requests must be signed, by default by the person who
 * started this. With `externalEndpoint`, the address of another DynamoDB-compatible server, nothing is
 * started and that one is used.
 *
 * @throws OperatorError when there is no emulator for this machine, the file is not a database, or nothing answers.
 */
export async function startDynamoDb(options: {
  file: string;
  externalEndpoint?: string | undefined;
  permissions?: DatabaseCommand['permissions'];
  lag?: DatabaseCommand['lag'];
}): Promise<DynamoDb> {
  if (options.externalEndpoint) return external(options.externalEndpoint);
  const binary = findBinary();
  const list = `${options.file}.processes`;
  // An emulator that outlived a kill of everything still writes to the database, and two must not.
  await killOrphans(list);
  const groups = await openGroupRegistry(list);
  const { command, endpoint, isIsolated } = await startIndexed({
    binary,
    groups,
    file: options.file,
    permissions: options.permissions,
    lag: options.lag,
  }).catch(async (error) => {
    await groups.close();
    throw error;
  });
  let closing = false;
  const writes = databaseWrites(options.file);
  return {
    endpoint,
    isIsolated,
    failed: new Promise((resolve) => {
      command.ended.then(() => closing || resolve(explain(command.errors(), options.file)));
    }),
    writes,
    close: async () => {
      closing = true;
      writes.close();
      await command.stop();
      await groups.close();
    },
  };
}

/** The emulator creates its tables when it first runs, so it is started twice for a new database. */
async function startIndexed(wanted: DatabaseCommand): Promise<DatabaseProcess> {
  const because = (words: string) => explain(words, wanted.file);
  const indexed = await indexStreamRecords(wanted.file);
  const started = await startDatabase(wanted, because);
  if (indexed) return started;
  await started.command.stop();
  await indexStreamRecords(wanted.file);
  return startDatabase(wanted, because);
}

async function external(endpoint: string): Promise<DynamoDb> {
  if (!(await answers(endpoint))) {
    throw new OperatorError(
      `Nothing answers at DYNAMODB_ENDPOINT=${endpoint}: start that server or unset the variable.`,
    );
  }
  return { endpoint, isIsolated: true, failed: new Promise(() => {}), writes: null, close: async () => {} };
}

/**
 * Checks that there is a database for this machine, which takes no time.
 *
 * @throws OperatorError that says how to get one
 */
export function checkDatabase(externalEndpoint = process.env.DYNAMODB_ENDPOINT): void {
  if (!externalEndpoint) findBinary();
}

function findBinary(platform = `${process.platform}-${process.arch}`): string {
  try {
    const folder = dirname(createRequire(import.meta.url).resolve(`@dynoxide/${platform}/package.json`));
    return join(folder, process.platform === 'win32' ? 'dynoxide.exe' : 'dynoxide');
  } catch (cause) {
    throw new OperatorError(
      `The bundled database emulator does not run on ${platform}. Start another DynamoDB-compatible server first, and then ` +
        'the service with its address:\n  docker run -d -p 127.0.0.1:8000:8000 amazon/dynamodb-local\n' +
        '  DYNAMODB_ENDPOINT=http://127.0.0.1:8000 npm start',
      { cause },
    );
  }
}

/** Whether a server answers; servers differ in their response to a request without an operation. */
async function answers(endpoint: string): Promise<boolean> {
  try {
    const response = await fetch(endpoint, { signal: AbortSignal.timeout(2000) });
    await response.body?.cancel();
    return true;
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
