import type { Comparison } from '../../core/ports/repository-host.ts';

/** Whether a commit has any in its history that another one has not. */
export type HasNews = (commit: string, other: string) => Promise<boolean>;

/** How `head` stands to `base`, for hosts that only list what one commit has and another has not. */
export async function compareByNews(base: string, head: string, hasNews: HasNews): Promise<Comparison> {
  const [ahead, behind] = await Promise.all([hasNews(head, base), hasNews(base, head)]);
  if (ahead) return behind ? 'diverged' : 'ahead';
  return behind ? 'behind' : 'identical';
}
