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
/** No status of a file begins with it. */
const START = '\u0001';
const LOG_FORMAT = `%x01${['%H', '%T', '%cI', '%an', '%ae', '%cn', '%ce', '%B'].join('%n')}%x00`;

/**
 * Returns the commits that `revisions` (arguments of `git log`) select, newest first, with the files that each changed.
 */
export async function readCommits(
  { git, folder }: BareRepository,
  revisions: readonly string[],
): Promise<LoggedCommit[]> {
  const log = (...options: string[]) =>
    git.ask(['-C', folder, 'log', '-z', `--format=${LOG_FORMAT}`, ...options, ...revisions]);
  // Null also when the output exceeds its limit: the payload is then sent without the files.
  const text = (await log('--name-status', '--no-renames')) ?? (await log());
  return commitsIn((text ?? '').split('\0'));
}

/** Each commit is a field that begins with START, then a status letter and a path for each of its files. */
function commitsIn(fields: readonly string[]): LoggedCommit[] {
  const commits: LoggedCommit[] = [];
  let files = noFiles();
  let left = MAX_FILES;
  for (let at = 0; at < fields.length; at += 1) {
    const field = fields[at]?.trimStart() ?? '';
    if (field === '') continue;
    if (field.startsWith(START)) {
      files = noFiles();
      commits.push({ ...parseRecord(field.slice(START.length)), ...files });
      continue;
    }
    at += 1;
    const path = fields[at];
    if (path === undefined || left === 0) continue;
    left -= 1;
    listFor(files, field).push(path);
  }
  return commits;
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

function listFor(files: Files, status: string): string[] {
  if (status === 'A') return files.added;
  return status === 'D' ? files.removed : files.modified;
}
