import * as v from 'valibot';

const commit = v.object({
  id: v.string(),
  message: v.nullish(v.string()),
  author: v.nullish(v.object({ name: v.nullish(v.string()), username: v.nullish(v.string()) })),
});

/** A commit in the list of a push. */
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
