import * as v from 'valibot';
import type { BuildResult } from '../../../core/payload/delivery.ts';
import { skips } from '../../../core/payload/skip-words.ts';
import { oneLine } from '../../../core/text.ts';

/** Returns the first line of a commit message, and its skip directives. */
export function messageFields(message: string | null | undefined): Pick<BuildResult, 'message' | 'skip'> {
  return { message: oneLine(message ?? '', 200), skip: skips(message ?? '') };
}

const commit = v.object({
  id: v.string(),
  message: v.nullish(v.string()),
  author: v.nullish(v.object({ name: v.nullish(v.string()), username: v.nullish(v.string()) })),
});

export type HeadCommit = v.InferOutput<typeof commit>;

/**
 * Returns the commit of a push with this id; null when it is not in the list, because hosts truncate the list of a long
 * push. Malformed commits are skipped.
 */
export function headCommit(commits: readonly unknown[], sha: string | null): HeadCommit | null {
  for (const candidate of commits) {
    if (v.is(commit, candidate) && candidate.id.toLowerCase() === sha) return candidate;
  }
  return null;
}
