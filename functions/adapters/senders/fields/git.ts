import * as v from 'valibot';

/** A commit id: 40 (SHA-1) or 64 (SHA-256) hex digits, converted to lower case. */
export const sha = v.pipe(
  v.string('is not a string'),
  v.toLowerCase(),
  v.regex(/^(?:[\da-f]{40}|[\da-f]{64})$/, 'is not a commit of 40 or 64 hex digits'),
);

/** The name of an owner or a repository: one path segment, but not `.` or `..`. */
export const segment = v.pipe(
  v.string('is not a string'),
  v.regex(
    /^(?!\.{1,2}$)[\w.-]{1,100}$/,
    'contains other characters than letters, digits, dots, dashes and underscores',
  ),
);

/** The id that a host gives a repository. It decides on nothing but a rename, so an odd one counts as none. */
export const repositoryId = v.fallback(
  v.optional(
    v.pipe(v.union([v.string(), v.pipe(v.number(), v.integer())]), v.transform(String), v.regex(/^[\w{}-]{1,64}$/)),
  ),
  undefined,
);

/** An owner that may be nested, such as GitLab's groups: segments separated by slashes. */
export const ownerPath = v.pipe(
  v.string('is not a string'),
  v.check((path) => path.length <= 500 && path.split('/').every((part) => v.is(segment, part)), 'is not an owner'),
);

/** A commit id or its first digits, at least 7, converted to lower case. */
export const shaOrPrefix = v.pipe(
  v.string('is not a string'),
  v.toLowerCase(),
  v.regex(/^(?:[\da-f]{7,40}|[\da-f]{64})$/, 'is not a full or abbreviated commit id'),
);

/**
 * A branch or tag without its `refs/…/`. Of https://git-scm.com/docs/git-check-ref-format, only the rules that matter
 * for display and URLs are checked.
 */
export const refName = v.pipe(
  v.string('is not a string'),
  v.regex(/^(?!\/)(?!.*(?:\.\.|\/\/|@\{))[^\s\p{Cc}\p{Cs}~^:?*[\\]{1,255}(?<![/.])$/u, 'is not a name that git allows'),
);

/** A full ref: `refs/heads/master`. */
export const ref = v.pipe(
  v.string('is not a string'),
  v.startsWith('refs/', 'does not start with refs/'),
  v.check((full) => v.is(refName, full), 'is not a name that git allows'),
);

/** Returns a commit id of a push; null when it is all zeros, with which git represents a missing object. */
export function shaOrNone(value: string): string | null {
  return /^0+$/.test(value) ? null : value;
}

/** Returns the name of a branch; null when the value is not a valid one. */
export function branchNamed(name: unknown): string | null {
  return v.is(refName, name) ? name : null;
}

/** Returns the branch of a ref; null for tags and other refs. */
export function branchOf(fullRef: string): string | null {
  return fullRef.startsWith('refs/heads/') ? fullRef.slice('refs/heads/'.length) : null;
}
