import type { TransactWriteItem } from '@aws-sdk/client-dynamodb';
import type { Entry } from '../../../core/entry/entry.ts';
import type { BranchFacts, ExpectedCi } from '../../../core/ports/deploy-facts.ts';
import type { Appending, Step } from '../../../core/ports/deploy-log.ts';
import { type Item, keys, N, numberIn, S, stringIn } from './items.ts';

const CI = 'ci#';

/** What is known of a branch, in its item. */
export function branchOf(item: Item = {}): BranchFacts {
  const going = numberIn(item, 'going');
  const providers = Object.keys(item).filter((name) => name.startsWith(CI));
  return {
    newest: numberIn(item, 'newest') ?? 0,
    going: going === undefined ? null : { number: going, sha: stringIn(item, 'going_sha') ?? '' },
    app: stringIn(item, 'app') ?? null,
    ci: Object.fromEntries(providers.map((name) => [name.slice(CI.length), numberIn(item, name) ?? 0])),
  };
}

/** A new entry is its branch's newest, or tells which CI provider is to be expected; none does both. */
export function branchNews(table: string, entry: Entry, { accepted, ci }: Appending): TransactWriteItem[] {
  const { user, number, repository, branch } = entry;
  if (!repository) return [];
  if (ci) return [{ Update: { TableName: table, Key: keys.branch(user, repository, ci.branch), ...expectation(ci) } }];
  if (!accepted || !branch) return [];
  return [
    {
      Update: {
        TableName: table,
        Key: keys.branch(user, repository, branch),
        UpdateExpression: 'SET newest = :number',
        ExpressionAttributeValues: { ':number': N(number) },
      },
    },
  ];
}

/** The entry is what its branch deploys from now on. */
export function branchGoes(table: string, after: Entry, { goes }: Step): TransactWriteItem[] {
  const { repository, branch, sha, appName } = after;
  if (!goes || !repository || !branch || !sha) return [];
  return [
    {
      Update: {
        TableName: table,
        Key: keys.branch(after.user, repository, branch),
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
