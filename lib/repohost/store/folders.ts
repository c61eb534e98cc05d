import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import * as v from 'valibot';
import { OperatorError } from '../../files/errors.ts';
import { readStateSync, writeStateSync } from '../../files/state-file.ts';

/** The paths of the repository host's files under its data folder. */
export interface Folders {
  readonly root: string;
  readonly repositories: string;
  /** An empty repository, which git is shown before the first push to a missing one. */
  readonly empty: string;
  /** The list of git's processes that run. */
  readonly groups: string;
  /** The program behind every repository's post-receive hook. */
  readonly hookProgram: string;
  readonly ofRepository: (repository: RepositoryName) => string;
}

export function folders(root: string): Folders {
  const repositories = join(root, 'repositories');
  return {
    root,
    repositories,
    empty: join(root, 'empty.git'),
    groups: join(root, 'groups.json'),
    hookProgram: join(root, 'post-receive.mjs'),
    ofRepository: ({ owner, name }) => join(repositories, owner, `${name}.git`),
  };
}

export interface RepositoryName {
  readonly owner: string;
  readonly name: string;
}

const OWNER_PATTERN = /^[A-Za-z0-9][A-Za-z0-9-]{0,38}$/;
const RESERVED_OWNERS = new Set(['repos', 'user']);
const NAME_PATTERN = /^(?!\.{1,2}$)[A-Za-z0-9._-]{1,100}$/;

/**
 * Whether owner and name are valid. GitHub's rules apply; also, no name may end in `.git`, as addresses do, and the
 * owners `repos` and `user` are reserved for the paths of the API.
 */
export function isRepositoryName({ owner, name }: RepositoryName): boolean {
  return (
    OWNER_PATTERN.test(owner) &&
    !RESERVED_OWNERS.has(owner) &&
    NAME_PATTERN.test(name) &&
    !/\.(?:git|next)$/i.test(name)
  );
}

export const REPOSITORY_NAME_RULE =
  'A repository is named by an owner (letters, digits, dashes) and a name (also dots and underscores, not ending in .git).';

/** Throws an `OperatorError` unless owner and name are valid. */
export function checkRepositoryName(repository: RepositoryName): void {
  if (!isRepositoryName(repository)) throw new OperatorError(REPOSITORY_NAME_RULE);
}

const RecordSchema = v.object({ owner: v.string(), name: v.string(), private: v.boolean() });

/** Owner, name and visibility of a bare repository, in a file that git ignores. */
export type RepositoryRecord = v.InferOutput<typeof RecordSchema>;

/** Whether a folder is a repository of this host. */
export function hasRecord(folder: string): boolean {
  return existsSync(fileIn(folder));
}

/** Returns the record of a bare repository. Throws an `OperatorError` when it is damaged, or there is none. */
export function readRecord(folder: string): RepositoryRecord {
  const record = readStateSync(fileIn(folder), RecordSchema);
  if (!record) throw new OperatorError(`${folder} is not a repository of this host.`);
  return record;
}

/** Returns when a repository became one of this host, in milliseconds since 1970. */
export function takenInAt(folder: string): number {
  return statSync(fileIn(folder)).mtimeMs;
}

export function writeRecord(folder: string, record: RepositoryRecord): void {
  writeStateSync(fileIn(folder), record);
}

function fileIn(folder: string): string {
  return join(folder, 'repohost.json');
}
