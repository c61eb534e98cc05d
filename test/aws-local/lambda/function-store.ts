import { readStateSync, writeStateSync } from '../../../lib/files/state-file.ts';
import { ACCOUNT, REGION } from '../clients.ts';
import { ServiceError } from '../emulators/json-endpoint.ts';
import { type FunctionRecord, FunctionRecords, type Revision } from './function-record.ts';

/** The functions that Lambda has, by name, kept in a file for its owner only: variables are secrets. */
export interface FunctionStore {
  all(): readonly FunctionRecord[];
  /** Returns a function by name or ARN; undefined when there is none. */
  find(nameOrArn: string): FunctionRecord | undefined;
  /** Returns a function; throws ResourceNotFoundException when there is none. */
  get(nameOrArn: string | undefined): FunctionRecord;
  put(record: FunctionRecord): void;
  remove(name: string): void;
}

/** Opens the functions in `file`. */
export function openFunctionStore(file: string): FunctionStore {
  let records: Record<string, FunctionRecord> = readStateSync(file, FunctionRecords) ?? {};
  const write = (next: Record<string, FunctionRecord>) => {
    writeStateSync(file, next, { secret: true, durable: true });
    records = next;
  };
  const find = (name: string) => new Map(Object.entries(records)).get(plainName(name));
  return {
    all: () => Object.values(records),
    find,
    get: (name = '') => {
      const found = find(name);
      if (found) return found;
      throw notFound(functionArn(plainName(name)));
    },
    put: (record) => write({ ...records, [record.name]: record }),
    remove: (name) => {
      const { [name]: _removed, ...rest } = records;
      write(rest);
    },
  };
}

/**
 * Returns the version that a qualifier names: a number, an alias or `$LATEST`, which is the default.
 *
 * @throws ServiceError ResourceNotFoundException
 */
export function versionOf(record: FunctionRecord, qualifier = '$LATEST'): string {
  const alias = Object.hasOwn(record.aliases, qualifier) ? record.aliases[qualifier]?.version : undefined;
  const version = alias ?? qualifier;
  if (version === '$LATEST' || Object.hasOwn(record.versions, version)) return version;
  throw notFound(functionArn(record.name, qualifier));
}

/** Returns the settings of a version; throws as `versionOf`. */
export function revisionOf(record: FunctionRecord, qualifier?: string): Revision {
  const version = versionOf(record, qualifier);
  return (version === '$LATEST' ? undefined : record.versions[version]) ?? record.latest;
}

/** Returns the artifacts of all versions of all functions. */
export function usedCode(store: FunctionStore): ReadonlySet<string> {
  const revisions = store.all().flatMap(({ latest, versions }) => [latest, ...Object.values(versions)]);
  return new Set(revisions.map(({ settings }) => settings.code.sha256));
}

export function functionArn(name: string, qualifier?: string): string {
  return `arn:aws:lambda:${REGION}:${ACCOUNT}:function:${name}${qualifier === undefined ? '' : `:${qualifier}`}`;
}

function plainName(nameOrArn: string): string {
  return nameOrArn.replace(/^arn:aws:lambda:[^:]*:[^:]*:function:/, '');
}

function notFound(arn: string): ServiceError {
  return new ServiceError('ResourceNotFoundException', `Function not found: ${arn}`);
}
