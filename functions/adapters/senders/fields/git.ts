import * as v from 'valibot';

/** A commit: 40 (SHA-1) or 64 (SHA-256) hex digits, given in lower case. */
export const sha = v.pipe(
  v.string('is not text'),
  v.toLowerCase(),
  v.regex(/^(?:[\da-f]{40}|[\da-f]{64})$/, 'is not a commit of 40 or 64 hex digits'),
);

/** An owner or a repository: one segment of a path, never one that leads elsewhere. */
export const segment = v.pipe(
  v.string('is not text'),
  v.regex(/^(?!\.{1,2}$)[\w.-]{1,100}$/, 'holds something else than letters, digits, dots, dashes and underscores'),
);

/** An owner that may be nested, as GitLab's groups are: segments with slashes between them. */
export const ownerPath = v.pipe(
  v.string('is not text'),
  v.check((path) => path.length <= 500 && path.split('/').every((part) => v.is(segment, part)), 'is not an owner'),
);

/** A commit or its first digits, as some show it: 7 of them or more, given in lower case. */
export const shaOrPrefix = v.pipe(
  v.string('is not text'),
  v.toLowerCase(),
  v.regex(/^(?:[\da-f]{7,40}|[\da-f]{64})$/, 'is not a commit, nor the beginning of one'),
);

/**
 * A branch or tag without its `refs/…/`, as far as https://git-scm.com/docs/git-check-ref-format matters to those who
 * show it or put it in an address.
 */
export const refName = v.pipe(
  v.string('is not text'),
  v.regex(/^(?!\/)(?!.*(?:\.\.|\/\/|@\{))[^\s\p{Cc}\p{Cs}~^:?*[\\]{1,255}(?<![/.])$/u, 'is not a name that git allows'),
);

/** A full ref: `refs/heads/master`. */
export const ref = v.pipe(
  v.string('is not text'),
  v.startsWith('refs/', 'does not start with refs/'),
  v.check((full) => v.is(refName, full), 'is not a name that git allows'),
);

/** The commit of a field of a push; null for git's way to write none: only zeros. */
export function shaOrNone(value: string): string | null {
  return /^0+$/.test(value) ? null : value;
}

/** A text as the name of a branch; null when git would not allow it as one. */
export function branchNamed(name: unknown): string | null {
  return v.is(refName, name) ? name : null;
}

/** The branch of a ref, slashes and all; null for tags and other refs. */
export function branchOf(fullRef: string): string | null {
  return fullRef.startsWith('refs/heads/') ? fullRef.slice('refs/heads/'.length) : null;
}
