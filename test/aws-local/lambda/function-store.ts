import type { AddPermissionRequest } from '@aws-sdk/client-lambda';
import { ACCOUNT, REGION } from '../clients.ts';
import { ServiceError } from '../wire/service.ts';

/** The functions that Lambda has, by name. */
export interface FunctionStore {
  /** Returns a function by name or ARN; undefined when there is none. */
  find(nameOrArn: string): FunctionRecord | undefined;
  /** Returns a function; throws ResourceNotFoundException when there is none. */
  get(nameOrArn: string | undefined): FunctionRecord;
  put(record: FunctionRecord): void;
  remove(name: string): void;
}

export function openFunctionStore(): FunctionStore {
  const records = new Map<string, FunctionRecord>();
  const find = (name: string) => records.get(plainName(name));
  return {
    find,
    get: (name = '') => {
      const found = find(name);
      if (found) return found;
      throw notFound(functionArn(plainName(name)));
    },
    put: (record) => void records.set(record.name, record),
    remove: (name) => void records.delete(name),
  };
}

/**
 * Returns the version that a qualifier names: a number, an alias or `$LATEST`, which is the default.
 *
 * @throws ServiceError ResourceNotFoundException
 */
export function versionOf(record: FunctionRecord, qualifier = '$LATEST'): string {
  const alias = Object.hasOwn(record.aliases, qualifier) ? record.aliases[qualifier] : undefined;
  const version = alias ?? qualifier;
  if (version === '$LATEST' || Object.hasOwn(record.versions, version)) return version;
  throw notFound(functionArn(record.name, qualifier));
}

/** Returns the settings of a version; throws as `versionOf`. */
export function revisionOf(record: FunctionRecord, qualifier?: string): Revision {
  const version = versionOf(record, qualifier);
  return (version === '$LATEST' ? undefined : record.versions[version]) ?? record.latest;
}

export function functionArn(name: string, qualifier?: string): string {
  return `arn:aws:lambda:${REGION}:${ACCOUNT}:function:${name}${qualifier === undefined ? '' : `:${qualifier}`}`;
}

function plainName(nameOrArn: string): string {
  return nameOrArn.replace(/^arn:aws:lambda:[^:]*:[^:]*:function:/, '');
}

export function conflict(message: string): ServiceError {
  return new ServiceError('ResourceConflictException', message);
}

export function invalid(message: string): ServiceError {
  return new ServiceError('InvalidParameterValueException', message);
}

function notFound(arn: string): ServiceError {
  return new ServiceError('ResourceNotFoundException', `Function not found: ${arn}`);
}

/** The settings of a version of a function; they never change, except for `$LATEST`. */
export interface FunctionSettings {
  readonly role: string;
  readonly runtime: string;
  readonly handler: string;
  readonly description: string;
  readonly timeoutSeconds: number;
  readonly memoryMb: number;
  readonly architecture: string;
  readonly layers: readonly string[];
  readonly variables: Readonly<Record<string, string>>;
  readonly logGroup: string;
  /** The hash of its artifact. */
  readonly code: string;
}

/** A state of a function. */
export interface Revision {
  readonly settings: FunctionSettings;
  readonly revisionId: string;
  /** Epoch milliseconds until which Lambda is still working on it. */
  readonly busyUntil: number;
  /** Whether it is being created, or only changed. */
  readonly isNew: boolean;
}

interface FunctionUrl {
  readonly port: number;
  readonly createdAt: string;
}

/** A function as Lambda keeps it. */
export interface FunctionRecord {
  readonly name: string;
  readonly tags: Readonly<Record<string, string>>;
  readonly latest: Revision;
  readonly versions: Readonly<Record<string, Revision>>;
  /** Numbers are not given twice, even after their version was deleted. */
  readonly lastVersion: number;
  /** Versions by name. */
  readonly aliases: Readonly<Record<string, string>>;
  /** By qualifier. */
  readonly urls: Readonly<Record<string, FunctionUrl>>;
  /** Of its policy. */
  readonly statements: readonly AddPermissionRequest[];
  readonly reservedConcurrency?: number | undefined;
  /** Whether a failed asynchronous invocation is not repeated; without this it would be on AWS, twice. */
  readonly runsOnce?: boolean;
}
