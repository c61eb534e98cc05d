import { ConditionalCheckFailedException, paginateQuery, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import type { RepositoryRef } from '../../../core/payload/delivery.ts';
import type { DeployFacts } from '../../../core/ports/deploy-facts.ts';
import { branchOf } from './branch.ts';
import { gateOf } from './gate.ts';
import { gateCommit, keys, N } from './items.ts';
import { readItem, type TableContext } from './table.ts';

/** What the stages must know beside the entry, in DynamoDB. */
export function dynamoDbFacts(context: TableContext): DeployFacts {
  return {
    gate: async (user, commit, branch) => gateOf(await readItem(context, keys.gate(user, commit, branch))),
    commits: (user, repository, branch, digits) => commits(context, { user, repository, branch, digits }),
    branch: async (user, repository, branch) =>
      branchOf(await readItem(context, keys.branch(user, repository, branch))),
    claim: (user, app, place) => claim(context, user, app, place),
  };
}

/** The gates of a repository stand in the order of their commits. */
async function commits(
  context: TableContext,
  wanted: { user: string; repository: RepositoryRef; branch: string; digits: string },
) {
  const { user, repository, branch, digits } = wanted;
  const { pk, sk } = keys.gatesFrom(user, repository, digits);
  const query = {
    TableName: context.table,
    KeyConditionExpression: 'pk = :pk AND begins_with(sk, :sk)',
    ExpressionAttributeValues: { ':pk': pk, ':sk': sk },
    ConsistentRead: true,
  };
  const found: string[] = [];
  for await (const { Items = [] } of paginateQuery({ client: context.client }, query)) {
    found.push(...Items.flatMap((item) => gateCommit(item, branch) ?? []));
  }
  return found;
}

async function claim({ client, table }: TableContext, user: string, app: string, place: number): Promise<boolean> {
  try {
    await client.send(
      new UpdateItemCommand({
        TableName: table,
        Key: keys.app(user, app),
        UpdateExpression: 'SET claimed = :place',
        ConditionExpression: 'attribute_not_exists(claimed) OR claimed <= :place',
        ExpressionAttributeValues: { ':place': N(place) },
      }),
    );
    return true;
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) return false;
    throw error;
  }
}
