import { ConditionalCheckFailedException, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { type Entry, isFinal } from '../../../core/entry/entry.ts';
import { stages } from '../../../core/pipeline/pipeline.ts';
import type { Appending, DeployLog, Taken, Turn } from '../../../core/ports/deploy-log.ts';
import { appendOnce } from './append.ts';
import { Heads } from './heads.ts';
import { entryOf, type Item, keys, N, numberIn, S, stringIn } from './items.ts';
import { moveOnce } from './move.ts';
import { readEntry, type TableContext } from './table.ts';
import { Turns } from './turns.ts';

/** Tries of a transaction that others keep getting in the way of, before the caller is told. */
const TRIES = 60;

/** The log in DynamoDB. */
export function dynamoDbLog(table: TableContext): DeployLog {
  const context = { ...table, heads: new Heads() };
  const turns = new Turns();
  const insistFor = <T>(user: string, once: () => Promise<T | 'again'>) => turns.wait(user, () => insist(table, once));
  return {
    append: (appending: Appending) => insistFor(appending.draft.user, () => appendOnce(context, appending)),
    move: (user, number, step) => insistFor(user, () => moveOnce(context, { user, number }, step)),
    read: (user, number) => readEntry(context, user, number),
    take: (turn) => take(context, turn),
    release: (turn, due) => release(context, turn, due),
  };
}

/** Tries until the transaction is not in anybody's way, with full jitter between. */
async function insist<T>({ clock, ids }: TableContext, once: () => Promise<T | 'again'>): Promise<T> {
  for (let attempt = 0; attempt < TRIES; attempt += 1) {
    const result = await once();
    if (result !== 'again') return result;
    // The first refusal usually only corrects the guess of the counters; waiting would not help.
    if (attempt > 0) await clock.sleep(Math.min(5 * 2 ** attempt, 250) * ids.fraction());
  }
  throw new Error(`The transaction was in conflict ${TRIES} times.`);
}

async function take({ client, table }: TableContext, turn: Turn): Promise<Taken> {
  try {
    const { Attributes } = await client.send(
      new UpdateItemCommand({
        TableName: table,
        Key: keys.entry(turn.user, turn.number),
        UpdateExpression:
          'SET lease = :until, due_at = :due, attempts = attempts + :one, taken_at = if_not_exists(taken_at, :now)',
        ConditionExpression:
          'stage = :stage AND (#status = :queued OR #status = :running) AND (attribute_not_exists(lease) OR lease < :now)',
        ExpressionAttributeNames: { '#status': 'status' },
        ExpressionAttributeValues: {
          ':until': N(turn.leaseUntil),
          ':due': N(turn.due),
          ':one': N(1),
          ':now': N(turn.now),
          ':stage': S(turn.stage),
          ':queued': S('queued'),
          ':running': S('running'),
        },
        ReturnValues: 'ALL_NEW',
        ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
      }),
    );
    const item = Attributes ?? {};
    return { outcome: 'taken', entry: entryOf(item), attempts: numberIn(item, 'attempts') ?? 1 };
  } catch (error) {
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
    return refused(error.Item, turn);
  }
}

/** Why a stage could not be taken. */
function refused(item: Item | undefined, turn: Turn): Taken {
  if (!item) return { outcome: 'over' };
  const entry = entryOf(item);
  if (isFinal(entry.status) || entry.status === 'held') return { outcome: 'over' };
  if (stringIn(item, 'stage') === turn.stage) return { outcome: 'busy', until: numberIn(item, 'lease') ?? turn.now };
  return isLater(entry, turn) ? { outcome: 'late', entry } : { outcome: 'over' };
}

function isLater(entry: Entry, turn: Turn): boolean {
  const place = (name: string) => stages.findIndex((stage) => stage.name === name);
  return place(entry.stage) > place(turn.stage);
}

async function release(
  { client, table }: TableContext,
  { user, number, stage }: Pick<Turn, 'user' | 'number' | 'stage'>,
  due: number,
): Promise<void> {
  try {
    await client.send(
      new UpdateItemCommand({
        TableName: table,
        Key: keys.entry(user, number),
        UpdateExpression: 'SET attempts = attempts - :one, due_at = :due REMOVE lease',
        ConditionExpression: 'stage = :stage AND attribute_exists(lease)',
        ExpressionAttributeValues: { ':one': N(1), ':due': N(due), ':stage': S(stage) },
      }),
    );
  } catch (error) {
    // Somebody else moved the entry on: there is nothing to give back.
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
  }
}
