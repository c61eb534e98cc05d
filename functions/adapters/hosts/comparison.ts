import type { Comparison } from '../../core/ports/repository-host.ts';

/** Returns whether the history of `commit` has any commit that the history of `other` does not have. */
export type HasOwnCommits = (commit: string, other: string) => Promise<boolean>;

/**
 * Returns how `head` compares to `base`, for hosts that only list the commits of one history without those of another.
 */
export async function compareHistories(base: string, head: string, hasOwn: HasOwnCommits): Promise<Comparison> {
  const [ahead, behind] = await Promise.all([hasOwn(head, base), hasOwn(base, head)]);
  if (ahead) return behind ? 'diverged' : 'ahead';
  return behind ? 'behind' : 'identical';
}
