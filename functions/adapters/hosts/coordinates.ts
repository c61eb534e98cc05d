import type { CommitRef } from '../../core/payload/delivery.ts';

const segment = /^[A-Za-z0-9._-]{1,255}$/;
const hash = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/i;
/** GitLab has groups twenty deep (https://docs.gitlab.com/user/group/subgroups/). */
const deepest = 21;

/** Whether a text can be one segment of a repository's address: nothing to escape, nowhere to climb. */
export function isSegment(text: string): boolean {
  return segment.test(text) && text !== '.' && text !== '..';
}

/** Whether a text is a whole commit id, SHA-1 or SHA-256; names and short ids are not. */
export function isCommitId(text: string): boolean {
  return hash.test(text);
}

/**
 * What is wrong with a commit that came from outside, in one sentence; null when it may go into an address. `nested`:
 * the owner may be groups within groups.
 */
export function faultOf({ owner, name, sha }: CommitRef, nested = false): string | null {
  const owners = nested ? owner.split('/') : [owner];
  if (owners.length > deepest || ![...owners, name].every(isSegment)) {
    return 'Owner and name of a repository may only hold letters, digits, dots, dashes and underscores.';
  }
  return isCommitId(sha) ? null : 'A commit is named by its whole id, 40 or 64 hexadecimal digits.';
}

/** Whether the path of a file is relative and climbs nowhere. */
export function isRelativePath(path: string): boolean {
  return path.split('/').every((part) => part !== '' && part !== '.' && part !== '..');
}

/** A relative file path for an address, each segment encoded. */
export function encodePath(path: string): string {
  return path.split('/').map(encodeURIComponent).join('/');
}
