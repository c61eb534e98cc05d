import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { OperatorError } from '../../../lib/files/errors.ts';
import { openGroupRegistry } from '../../../lib/process/group-registry.ts';
import { type DatabaseCommand, FILE_IN_USE, PORT_TAKEN, startDatabase } from './database-process.ts';

/** A running DynamoDB-compatible endpoint. */
export interface DynamoDb {
  readonly endpoint: string;
  /** Whether it can be reached with a signature only, even by another user of this machine. */
  readonly isIsolated: boolean;
  /** Resolves when it stops unexpectedly; never while it runs or after `close`. */
  readonly failed: Promise<OperatorError>;
  close(): Promise<void>;
}

/**
 * Starts the DynamoDB emulator on a free loopback port, with its data in `file`. Requests must be signed, by default by
 * the operator.
 *
 * @throws OperatorError when there is no emulator for this machine, or the file is not a database.
 */
export async function startDynamoDb(options: {
  file: string;
  permissions?: DatabaseCommand['permissions'];
  lag?: DatabaseCommand['lag'];
}): Promise<DynamoDb> {
  const binary = findBinary();
  const groups = await openGroupRegistry(`${options.file}.processes`);
  const { file, permissions, lag } = options;
  const wanted = { binary, groups, file, permissions, lag };
  const because = (words: string) => explain(words, file);
  const { command, endpoint, isIsolated } = await startDatabase(wanted, because).catch(async (error) => {
    await groups.close();
    throw error;
  });
  let closing = false;
  return {
    endpoint,
    isIsolated,
    failed: new Promise((resolve) => {
      command.ended.then(() => closing || resolve(because(command.errors())));
    }),
    close: async () => {
      closing = true;
      await command.stop();
      await groups.close();
    },
  };
}

/**
 * Checks that there is a database for this machine, which takes no time.
 *
 * @throws OperatorError that says how to get one
 */
export function checkDatabase(): void {
  findBinary();
}

function findBinary(platform = `${process.platform}-${process.arch}`): string {
  try {
    const folder = dirname(createRequire(import.meta.url).resolve(`@dynoxide/${platform}/package.json`));
    return join(folder, process.platform === 'win32' ? 'dynoxide.exe' : 'dynoxide');
  } catch (cause) {
    throw new OperatorError(
      `The database emulator does not run on ${platform}, but on Linux on x64: npm start and npm test need none.`,
      { cause },
    );
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
