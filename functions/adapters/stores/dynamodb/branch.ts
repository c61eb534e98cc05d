import type { TransactWriteItem } from '@aws-sdk/client-dynamodb';
import type { Entry } from '../../../core/entry/entry.ts';
import { trackOf } from '../../../core/entry/track.ts';
import type { Transition } from '../../../core/entry/transition.ts';
import type { RepositoryRef } from '../../../core/payload/delivery.ts';
import type { BranchFacts } from '../../../core/ports/facts.ts';
import type { AppendRequest } from '../../../core/ports/log.ts';
import { updateOf } from '../../aws/attributes.ts';
import { isSettled, moveOf } from '../moves.ts';
import { type Item, keys, N, numberIn, S, stringIn } from './items.ts';

const CI = 'ci#';

/** Returns the facts in the item of a branch. The active deploy is stored as `going`. */
export function branchOf(item: Item = {}): BranchFacts {
  const number = numberIn(item, 'going');
  const tip = stringIn(item, 'tip') ?? null;
  const providers = Object.keys(item).filter((name) => name.startsWith(CI));
  return {
    newest: numberIn(item, 'newest') ?? 0,
    tip,
    isTipSure: isSettled({ tip, moved: numberIn(item, 'moved'), movedFrom: numberIn(item, 'moved_from') }),
    activeDeploy: number === undefined ? null : { number, sha: stringIn(item, 'going_sha') ?? '' },
    app: stringIn(item, 'app') ?? null,
    otherName: JSON.parse(stringIn(item, 'other_name') ?? 'null') as RepositoryRef | null,
    ci: Object.fromEntries(providers.map((name) => [name.slice(CI.length), numberIn(item, name) ?? 0])),
  };
}

/**
 * Returns the update that makes a new entry the newest push or the tip of its branch, or stores the expected CI. Never
 * both.
 */
export function branchUpdate(table: string, entry: Entry, request: AppendRequest): TransactWriteItem[] {
  const { user, number, repository, branch } = entry;
  const { isNewestPush, isTip, expectedCi } = request;
  if (!repository) return [];
  if (expectedCi) {
    const { track, provider, until, alsoOf } = expectedCi;
    const expected = updateOf({ [`${CI}${provider}`]: until === null ? null : N(until) });
    return [repository, ...(alsoOf ? [alsoOf] : [])].map((name) => ({
      Update: { TableName: table, Key: keys.branch(user, name, track), ...expected },
    }));
  }
  if (!branch || (!isNewestPush && !isTip)) return [];
  const moved = isTip ? movement(entry) : { sets: [], removes: '', values: {} };
  const sets = [...(isNewestPush ? ['newest = :number'] : []), ...moved.sets];
  return [
    {
      Update: {
        TableName: table,
        Key: keys.branch(user, repository, trackOf({ ...entry, branch })),
        UpdateExpression: `SET ${sets.join(', ')}${moved.removes}`,
        ExpressionAttributeValues: { ...(isNewestPush && { ':number': N(number) }), ...moved.values },
      },
    },
  ];
}

function movement(entry: Entry) {
  const { tip, start, by, to } = moveOf(entry);
  const sum =
    by === null
      ? ['moved = :to', 'moved_from = :start']
      : ['moved = if_not_exists(moved, :start) + :by', 'moved_from = if_not_exists(moved_from, :start)'];
  const sums: Item = { ':start': N(start), ...(by === null ? { ':to': N(to) } : { ':by': N(by) }) };
  return tip === null
    ? { sets: sum, removes: ' REMOVE tip', values: sums }
    : { sets: [...sum, 'tip = :tip'], removes: '', values: { ...sums, ':tip': S(tip) } };
}

/** Returns the update that makes an entry the active deploy of its branch. */
export function promotion(table: string, after: Entry, { promotes, otherName }: Transition): TransactWriteItem[] {
  const { repository, branch, sha, appName } = after;
  if (!promotes || !repository || !branch || !sha) return [];
  const renamed = otherName && { other_name: S(JSON.stringify(otherName)) };
  return [
    {
      Update: {
        TableName: table,
        Key: keys.branch(after.user, repository, trackOf({ ...after, branch })),
        ...updateOf({ going: N(after.number), going_sha: S(sha), app: S(appName ?? ''), ...renamed }),
      },
    },
  ];
}
