import { paginateQuery } from '@aws-sdk/client-dynamodb';
import type { RepositoryRef } from '../../../core/payload/delivery.ts';
import type { DeployFacts } from '../../../core/ports/facts.ts';
import { appOwner, claimApp, freeApp, ownApp } from './apps/owners.ts';
import { branchOf } from './branch.ts';
import { commitStateOf } from './commit-state.ts';
import { commitOf, keys } from './items.ts';
import { readItem, type TableContext } from './table.ts';

/** Returns the facts about commits, branches and applications in DynamoDB. */
export function dynamoDbFacts(context: TableContext): DeployFacts {
  return {
    commitState: async (user, commit, track) =>
      commitStateOf(await readItem(context, keys.commit(user, commit, track))),
    commits: (user, repository, track, digits) => commits(context, { user, repository, track, digits }),
    branch: async (user, repository, track) => branchOf(await readItem(context, keys.branch(user, repository, track))),
    claimApp: (user, app, order) => claimApp(context, { user, app }, order),
    appOwner: (user, app) => appOwner(context, { user, app }),
    ownApp: (user, app, owner) => ownApp(context, { user, app }, owner),
    freeApp: (user, app) => freeApp(context, { user, app }),
  };
}

/** The states of a repository's commits are sorted by commit. */
async function commits(
  context: TableContext,
  wanted: { user: string; repository: RepositoryRef; track: string; digits: string },
) {
  const { user, repository, track, digits } = wanted;
  const { pk, sk } = keys.commitsFrom(user, repository, digits);
  const query = {
    TableName: context.table,
    KeyConditionExpression: 'pk = :pk AND begins_with(sk, :sk)',
    ExpressionAttributeValues: { ':pk': pk, ':sk': sk },
    ConsistentRead: true,
  };
  const found: string[] = [];
  for await (const { Items = [] } of paginateQuery({ client: context.client }, query)) {
    found.push(...Items.flatMap((item) => commitOf(item, track) ?? []));
  }
  return found;
}
