import * as v from 'valibot';
import { oneLine } from '../../core/text.ts';

export const commitId = v.pipe(v.string(), v.regex(/^[0-9a-f]{40,64}$/));
/** A string that a host may leave out. */
export const textOrNone = v.nullish(v.string());
export const pullNumber = v.pipe(v.number(), v.integer(), v.minValue(1));
/** A head commit, when the host names the whole of it. */
export const headCommit = v.fallback(v.nullable(commitId), null);

/** The texts of a pull request, whose fields have other names at each host. */
interface Described {
  readonly branch: string;
  readonly title: string | null | undefined;
  readonly author: string | null | undefined;
  readonly updatedAt: string | null | undefined;
}

/** Returns what people have written as it may be stored and shown. */
export function described({ branch, title, author, updatedAt }: Described) {
  const at = Date.parse(updatedAt ?? '');
  return {
    branch: oneLine(branch, 255) ?? '?',
    title: oneLine(title ?? '', 200),
    author: oneLine(author ?? '', 100),
    updatedAt: Number.isFinite(at) ? at : null,
  };
}

/** An id that decides on nothing but a rename: an odd one counts as none. */
export const idOrNone = v.fallback(v.nullish(v.union([v.string(), v.number()])), null);
