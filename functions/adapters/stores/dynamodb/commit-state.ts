import type { AttributeValue, TransactWriteItem } from '@aws-sdk/client-dynamodb';
import type { Entry } from '../../../core/entry/entry.ts';
import { checksTrackOf, EVERY_TRACK, trackOf } from '../../../core/entry/track.ts';
import type { Transition } from '../../../core/entry/transition.ts';
import { byName, type CheckResult, checkKey, isSettled } from '../../../core/hold/checks.ts';
import type { CommitState } from '../../../core/ports/facts.ts';
import type { AppendRequest } from '../../../core/ports/log.ts';
import { updateOf } from '../../aws/attributes.ts';
import { expiry, RETENTION_SECONDS } from '../retention.ts';
import { type Item, keys, N, numberIn, S, stringIn } from './items.ts';

// A check has one attribute for its last final result and one for its last pending or neutral one. So a call needs no
// read before its write, and checks that report at the same time do not conflict.
const SETTLED = 'settled#';
const OPEN = 'open#';
const RUN = 'run#';
const NO_LATER_RUN = 'attribute_not_exists(#run) OR #run <= :run';

/** Returns the commit state in an item; without an item nothing is known yet. */
export function commitStateOf(item: Item | undefined): CommitState {
  return {
    checks: checksIn(item),
    version: numberIn(item, 'version') ?? 0,
    held: numberIn(item, 'held') ?? null,
    deploying: numberIn(item, 'deploying') ?? null,
    awaitsPush: item?.awaits_push?.BOOL ?? false,
    skip: stringIn(item, 'skip') ?? null,
  };
}

function checksIn(item: Item = {}): readonly CheckResult[] {
  const results = (prefix: string) =>
    Object.keys(item).flatMap((name) =>
      name.startsWith(prefix) ? [JSON.parse(stringIn(item, name) ?? 'null') as CheckResult] : [],
    );
  const settled = results(SETTLED);
  const settledKeys = new Set(settled.map(checkKey));
  return byName([...settled, ...results(OPEN).filter((result) => !settledKeys.has(checkKey(result)))]);
}

/** The update that stores a result of a request. */
interface ResultUpdate {
  readonly of: 'checkResult' | 'commitResult';
  readonly update: TransactWriteItem;
}

/**
 * Returns the updates that store the results that a new entry brings, with the same effect as `withResult`. The condition
 * of one fails when a later run of its check has ended.
 */
export function checkUpdates(
  table: string,
  entry: Entry,
  { checkResult, commitResult }: Pick<AppendRequest, 'checkResult' | 'commitResult'>,
  now: number,
): readonly ResultUpdate[] {
  const { user, repository } = entry;
  const commit = checkResult && commitKey(entry);
  const updates: ResultUpdate[] = commit
    ? [{ of: 'checkResult', update: checkUpdate(table, commit, checkResult, now) }]
    : [];
  if (!repository || !commitResult) return updates;
  const { sha, ...result } = commitResult;
  const everywhere = keys.commit(user, { ...repository, sha }, EVERY_TRACK);
  return [...updates, { of: 'commitResult', update: checkUpdate(table, everywhere, result, now) }];
}

/** Returns the update that stores the words of a new entry by which its commit is not to be deployed. */
export function skipUpdate(table: string, entry: Entry, { skip }: AppendRequest, now: number): TransactWriteItem[] {
  const Key = commitKey(entry);
  if (!Key || !skip) return [];
  const expires = N(expiry(now, RETENTION_SECONDS.commitState));
  return [{ Update: { TableName: table, Key, ...updateOf({ skip: S(skip), expires }) } }];
}

function checkUpdate(table: string, Key: Item, result: CheckResult, now: number): TransactWriteItem {
  const value = result.outcome === 'pending' ? 'if_not_exists(#check, :result)' : ':result';
  const key = checkKey(result);
  const run = isSettled(result) ? result.run : undefined;
  return {
    Update: {
      TableName: table,
      Key,
      UpdateExpression: `SET ${run === undefined ? '' : '#run = :run, '}#check = ${value}, expires = :expires ADD version :one`,
      ...(run !== undefined && { ConditionExpression: NO_LATER_RUN }),
      ExpressionAttributeNames: {
        '#check': `${isSettled(result) ? SETTLED : OPEN}${key}`,
        ...(run !== undefined && { '#run': `${RUN}${key}` }),
      },
      ExpressionAttributeValues: {
        ':result': S(JSON.stringify(result)),
        ':expires': N(expiry(now, RETENTION_SECONDS.commitState)),
        ':one': N(1),
        ...(run !== undefined && { ':run': N(run) }),
      },
    },
  };
}

/**
 * Returns the updates of the commit state by a transition, first the one on condition that the state has the expected
 * version: for a preview that is the item of the results on all tracks.
 */
export function commitStateUpdates(
  table: string,
  after: Entry,
  { commitState = {}, ifCommitVersion }: Transition,
  now: number,
): TransactWriteItem[] {
  const Key = commitKey(after);
  const guarded = commitKey(after, checksTrackOf);
  const hasState = Object.keys(commitState).length > 0;
  if (!Key || !guarded) return [];
  const expires = N(expiry(now, RETENTION_SECONDS.commitState));
  const update = (key: Item, { held, deploying, awaitsPush }: typeof commitState, version?: number) => {
    const awaits_push = awaitsPush === undefined ? undefined : { BOOL: awaitsPush };
    const state = { held: numberOrNull(held), deploying: numberOrNull(deploying), awaits_push };
    const { ExpressionAttributeValues, ...set } = updateOf({ expires, ...state });
    const { values, ...condition } = versionCondition(version);
    const all = { ...ExpressionAttributeValues, ...values };
    return { Update: { TableName: table, Key: key, ...set, ...condition, ExpressionAttributeValues: all } };
  };
  if (after.pullRequest === undefined || ifCommitVersion === undefined) {
    return hasState || ifCommitVersion !== undefined ? [update(Key, commitState, ifCommitVersion)] : [];
  }
  return [update(guarded, {}, ifCommitVersion), ...(hasState ? [update(Key, commitState)] : [])];
}

function versionCondition(version: number | undefined) {
  if (version === undefined) return {};
  if (version === 0) return { ConditionExpression: 'attribute_not_exists(version)' };
  return { ConditionExpression: 'version = :version', values: { ':version': N(version) } };
}

function commitKey(entry: Entry, on = trackOf): Item | null {
  const { user, repository, sha, branch } = entry;
  return repository && sha && branch ? keys.commit(user, { ...repository, sha }, on({ ...entry, branch })) : null;
}

function numberOrNull(value: number | null | undefined): AttributeValue | null | undefined {
  return typeof value === 'number' ? N(value) : value;
}
