import type { BareRepository } from './git.ts';

/** The author or committer of a commit. */
export interface Person {
  readonly name: string;
  readonly email: string;
}

/** A commit with the files it changes, for a push payload. */
export interface LoggedCommit {
  readonly id: string;
  readonly tree: string;
  readonly message: string;
  /** RFC 3339, with the committer's offset. */
  readonly timestamp: string;
  readonly author: Person;
  readonly committer: Person;
  readonly added: readonly string[];
  readonly removed: readonly string[];
  readonly modified: readonly string[];
}

/** GitHub lists at most as many files. */
const MAX_FILES = 3000;
const LOG_FORMAT = ['%H', '%T', '%cI', '%an', '%ae', '%cn', '%ce', '%B'].join('%n');

/**
 * Returns the commits that `revisions` (arguments of `git log`) select, newest first, with the files that each changed.
 */
export async function readCommits(repository: BareRepository, revisions: readonly string[]): Promise<LoggedCommit[]> {
  const { git, folder } = repository;
  const text = await git.ask(['-C', folder, 'log', '-z', `--format=${LOG_FORMAT}`, ...revisions]);
  const records = (text ?? '').split('\0').filter((record) => record !== '');
  const heads = records.map(parseRecord);
  const files = await readFiles(
    repository,
    heads.map(({ id }) => id),
  );
  return heads.map((head) => ({ ...head, ...(files.get(head.id) ?? noFiles()) }));
}

function parseRecord(record: string) {
  const [id = '', tree = '', timestamp = '', an = '', ae = '', cn = '', ce = '', ...message] = record.split('\n');
  return {
    id,
    tree,
    timestamp,
    message: message.join('\n').trimEnd(),
    author: { name: an, email: ae },
    committer: { name: cn, email: ce },
  };
}

interface Files {
  readonly added: string[];
  readonly removed: string[];
  readonly modified: string[];
}

function noFiles(): Files {
  return { added: [], removed: [], modified: [] };
}

/** `git diff-tree -z` prints a commit id, then pairs of a status letter and a path, each terminated by NUL. */
async function readFiles({ git, folder }: BareRepository, ids: readonly string[]): Promise<Map<string, Files>> {
  const options = ['--stdin', '--root', '-r', '-z', '--name-status', '--no-renames'];
  // Null also when the output exceeds its limit: the payload is then sent without the list.
  const text = await git.ask(['-C', folder, 'diff-tree', ...options], `${ids.join('\n')}\n`);
  const fields = (text ?? '').split('\0');
  const found = new Map<string, Files>();
  let files = noFiles();
  let left = MAX_FILES;
  for (let at = 0; at < fields.length; at += 1) {
    const field = fields[at] ?? '';
    if (/^[0-9a-f]{40,64}$/.test(field)) {
      files = noFiles();
      found.set(field, files);
      continue;
    }
    at += 1;
    const path = fields[at];
    if (path === undefined || left === 0) continue;
    left -= 1;
    listFor(files, field).push(path);
  }
  return found;
}

function listFor(files: Files, status: string): string[] {
  if (status === 'A') return files.added;
  return status === 'D' ? files.removed : files.modified;
}
