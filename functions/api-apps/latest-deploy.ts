import { type Entry, isDeploy } from '../core/entry/entry.ts';
import { DeployError } from '../core/errors.ts';
import type { AppsPorts } from './ports.ts';

/** Entries that are looked at, newest first; operations and skipped pushes may lie above a deploy. */
const MAX_ENTRIES = 50;

/** Returns the newest entry of an application that has tried to deploy a commit, with what result ever; null without. */
export async function latestDeploy(
  user: string,
  name: string,
  { reader }: Pick<AppsPorts, 'reader'>,
): Promise<Entry | null> {
  try {
    const { entries } = await reader.page({ user, app: name, skip: 0, limit: MAX_ENTRIES });
    return entries.find(hasTried) ?? null;
  } catch (error) {
    throw new DeployError('status:db:query_fail', 'The log could not be read; ask again.', { cause: error });
  }
}

function hasTried(entry: Entry): boolean {
  const isElsewhere = entry.status === 'skipped' || entry.status === 'duplicate' || entry.status === 'held';
  return isDeploy(entry) && !isElsewhere && entry.repository !== null && entry.sha !== null && entry.branch !== null;
}
