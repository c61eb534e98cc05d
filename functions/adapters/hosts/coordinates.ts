import { type CommitRef, isCommitId } from '../../core/payload/delivery.ts';

const segment = /^[A-Za-z0-9._-]{1,255}$/;
export const NO_WHOLE_ID = 'A commit is named by its whole id, 40 or 64 hexadecimal digits.';
/** GitLab allows twenty levels of subgroups (https://docs.gitlab.com/user/group/subgroups/). */
const MAX_OWNER_DEPTH = 21;

/** Returns whether a string can be one path segment of a repository: needs no escaping and is neither `.` nor `..`. */
export function isSegment(text: string): boolean {
  return segment.test(text) && text !== '.' && text !== '..';
}

/**
 * Returns one sentence on what is invalid in the owner, name or id of a commit; null when all may be part of a URL.
 * `nested`: the owner may contain slashes (subgroups).
 */
export function faultOf({ owner, name, sha }: CommitRef, nested = false): string | null {
  const owners = nested ? owner.split('/') : [owner];
  if (owners.length > MAX_OWNER_DEPTH || ![...owners, name].every(isSegment)) {
    return 'Owner and name of a repository may only hold letters, digits, dots, dashes and underscores.';
  }
  return isCommitId(sha) ? null : NO_WHOLE_ID;
}

/** Returns whether a file path is relative and has no `.` or `..` segments. */
export function isRelativePath(path: string): boolean {
  return path.split('/').every((part) => part !== '' && part !== '.' && part !== '..');
}

/** Returns a relative file path with each segment percent-encoded. */
export function encodePath(path: string): string {
  return path.split('/').map(encodeURIComponent).join('/');
}
