import type { TransactWriteItem } from '@aws-sdk/client-dynamodb';
import type { Entry } from '../../../core/entry/entry.ts';
import { trackOf } from '../../../core/entry/track.ts';
import type { Transition } from '../../../core/entry/transition.ts';
import type { BranchFacts, ExpectedCi } from '../../../core/ports/deploy-facts.ts';
import type { AppendRequest } from '../../../core/ports/deploy-log.ts';
import { type Item, keys, N, numberIn, S, stringIn } from './items.ts';

const CI = 'ci#';

/** Returns the facts in the item of a branch. The active deploy is stored as `going`, as in earlier versions. */
export function branchOf(item: Item = {}): BranchFacts {
  const number = numberIn(item, 'going');
  const providers = Object.keys(item).filter((name) => name.startsWith(CI));
  return {
    newest: numberIn(item, 'newest') ?? 0,
    activeDeploy: number === undefined ? null : { number, sha: stringIn(item, 'going_sha') ?? '' },
    app: stringIn(item, 'app') ?? null,
    ci: Object.fromEntries(providers.map((name) => [name.slice(CI.length), numberIn(item, name) ?? 0])),
  };
}

/** Returns the update that makes a new entry the newest push of its branch, or stores the expected CI. Never both. */
export function branchUpdate(table: string, entry: Entry, request: AppendRequest): TransactWriteItem[] {
  const { user, number, repository, branch, path } = entry;
  const { isNewestPush, expectedCi } = request;
  if (!repository) return [];
  if (expectedCi) {
    const Key = keys.branch(user, repository, expectedCi.track);
    return [{ Update: { TableName: table, Key, ...expectation(expectedCi) } }];
  }
  if (!isNewestPush || !branch) return [];
  return [
    {
      Update: {
        TableName: table,
        Key: keys.branch(user, repository, trackOf({ branch, path })),
        UpdateExpression: 'SET newest = :number',
        ExpressionAttributeValues: { ':number': N(number) },
      },
    },
  ];
}

/** Returns the update that makes an entry the active deploy of its branch. */
export function promotion(table: string, after: Entry, { promotes }: Transition): TransactWriteItem[] {
  const { repository, branch, path, sha, appName } = after;
  if (!promotes || !repository || !branch || !sha) return [];
  return [
    {
      Update: {
        TableName: table,
        Key: keys.branch(after.user, repository, trackOf({ branch, path })),
        UpdateExpression: 'SET going = :number, going_sha = :sha, app = :app',
        ExpressionAttributeValues: { ':number': N(after.number), ':sha': S(sha), ':app': S(appName ?? '') },
      },
    },
  ];
}

function expectation({ provider, until }: ExpectedCi) {
  const ExpressionAttributeNames = { '#ci': `${CI}${provider}` };
  if (until === null) return { UpdateExpression: 'REMOVE #ci', ExpressionAttributeNames };
  return {
    UpdateExpression: 'SET #ci = :until',
    ExpressionAttributeNames,
    ExpressionAttributeValues: { ':until': N(until) },
  };
}
