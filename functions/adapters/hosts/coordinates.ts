import type { CommitRef } from '../../core/delivery.ts';

const segment = /^[A-Za-z0-9._-]{1,100}$/;
const hash = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/i;

/** Whether a text can be one segment of a repository's address: nothing to escape, nowhere to climb. */
export function isSegment(text: string): boolean {
  return segment.test(text) && text !== '.' && text !== '..';
}

/** Whether a text is a whole commit id, SHA-1 or SHA-256; names and short ids are not. */
export function isCommitId(text: string): boolean {
  return hash.test(text);
}

/** What is wrong with a commit that came from outside, in one sentence; null when it may go into an address. */
export function faultOf({ owner, name, sha }: CommitRef): string | null {
  if (!isSegment(owner) || !isSegment(name)) {
    return 'Owner and name of a repository may only hold letters, digits, dots, dashes and underscores.';
  }
  return isCommitId(sha) ? null : 'A commit is named by its whole id, 40 or 64 hexadecimal digits.';
}

/** A relative file path for an address, each segment encoded; null when it climbs or is not relative. */
export function encodePath(path: string): string | null {
  const segments = path.split('/');
  const bad = segments.some((part) => part === '' || part === '.' || part === '..');
  return bad ? null : segments.map(encodeURIComponent).join('/');
}
