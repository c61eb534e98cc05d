import * as v from 'valibot';

const commit = v.object({
  id: v.string(),
  message: v.nullish(v.string()),
  author: v.nullish(v.object({ name: v.nullish(v.string()), username: v.nullish(v.string()) })),
});

/** What a push says of one of its commits. */
export type HeadCommit = v.InferOutput<typeof commit>;

/**
 * The commit of a push that has this id; null when it is not among those that are sent, because hosts send only some of
 * a long push. Commits of other forms are passed over.
 */
export function headCommit(commits: readonly unknown[], sha: string | null): HeadCommit | null {
  for (const candidate of commits) {
    if (v.is(commit, candidate) && candidate.id.toLowerCase() === sha) return candidate;
  }
  return null;
}
