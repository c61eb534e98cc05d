import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { OperatorError } from '../../../lib/files/errors.ts';
import { openGroupRegistry } from '../../../lib/process/group-registry.ts';
import { type DatabaseCommand, startDatabase } from './database-process.ts';

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
 * @throws OperatorError when there is no emulator for this machine, or it does not start.
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
  const { command, endpoint, isIsolated } = await startDatabase(wanted, stopped).catch(async (error) => {
    await groups.close();
    throw error;
  });
  let closing = false;
  return {
    endpoint,
    isIsolated,
    failed: new Promise((resolve) => {
      command.ended.then(() => closing || resolve(stopped(command.errors())));
    }),
    close: async () => {
      closing = true;
      await command.stop();
      await groups.close();
    },
  };
}

function findBinary(): string {
  const platform = `${process.platform}-${process.arch}`;
  try {
    return join(dirname(createRequire(import.meta.url).resolve(`@dynoxide/${platform}/package.json`)), 'dynoxide');
  } catch (cause) {
    throw new OperatorError(
      `The database emulator does not run on ${platform}, but on Linux on x64: npm start and npm test need none.`,
      { cause },
    );
  }
}

function stopped(words: string): OperatorError {
  return new OperatorError(`The DynamoDB emulator stopped by itself (${words || 'it printed nothing'}): start again.`);
}
