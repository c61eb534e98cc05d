import { ConditionalCheckFailedException, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import type { BranchFacts, BuildOutcome, DeployFacts, Gate } from '../../../core/ports/deploy-log.ts';
import { type Item, keys, N, numberIn, stringIn } from './items.ts';
import { readItem, type TableContext } from './log.ts';

/** What the stages must know beside the entry, in DynamoDB. */
export function dynamoDbFacts(context: TableContext): DeployFacts {
  return {
    gate: async (user, commit, branch) => gateOf(await readItem(context, keys.gate(user, commit, branch))),
    branch: async (user, repository, branch) =>
      branchOf(await readItem(context, keys.branch(user, repository, branch))),
    claim: (user, app, place) => claim(context, user, app, place),
  };
}

function gateOf(item: Item | undefined): Gate {
  const outcome = stringIn(item, 'outcome');
  return {
    outcome: outcome === undefined ? null : (JSON.parse(outcome) as BuildOutcome),
    held: numberIn(item, 'held') ?? null,
    deploying: numberIn(item, 'deploying') ?? null,
    awaitsPush: item?.awaits_push?.BOOL ?? false,
  };
}

function branchOf(item: Item | undefined): BranchFacts {
  const going = numberIn(item, 'going');
  return {
    newest: numberIn(item, 'newest') ?? 0,
    going: going === undefined ? null : { number: going, sha: stringIn(item, 'going_sha') ?? '' },
    app: stringIn(item, 'app') ?? null,
  };
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
