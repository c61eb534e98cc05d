import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { dynamoDbAppFacts } from '../../../functions/adapters/stores/dynamodb/apps/app-facts.ts';
import { dynamoDbAppSettings } from '../../../functions/adapters/stores/dynamodb/apps/app-settings.ts';
import { dynamoDbTrackedApps } from '../../../functions/adapters/stores/dynamodb/apps/tracked-apps.ts';
import { dynamoDbBacklog } from '../../../functions/adapters/stores/dynamodb/backlog.ts';
import { dynamoDbFacts } from '../../../functions/adapters/stores/dynamodb/facts.ts';
import { dynamoDbLog } from '../../../functions/adapters/stores/dynamodb/log.ts';
import { dynamoDbReader } from '../../../functions/adapters/stores/dynamodb/reader.ts';
import { memoryClock, memoryIds } from '../../fakes/clock.ts';
import { LOG_TABLES } from '../dynamodb-table.ts';
import { AT } from '../entries.ts';
import type { LogRoles } from './pipeline-world.ts';

const MOST = 10_000;
let users = 0;

/** The log in DynamoDB of a user of its own. */
export function dynamoDbRoles(client: DynamoDBClient): LogRoles {
  users += 1;
  const user = `ann-${users}`;
  const context = { client, ...LOG_TABLES, clock: memoryClock(AT), ids: memoryIds() };
  const [backlog, tracked] = [dynamoDbBacklog(context), dynamoDbTrackedApps(context)];
  const own = <T extends { readonly user: string }>(all: readonly T[], limit: number) =>
    all.filter((one) => one.user === user).slice(0, limit);
  return {
    log: dynamoDbLog(context),
    reader: dynamoDbReader(context),
    facts: dynamoDbFacts(context),
    appFacts: dynamoDbAppFacts(context),
    settings: dynamoDbAppSettings(context),
    // The schedules look after everybody; each of these worlds only after its own user.
    tracked: {
      ...tracked,
      toCompare: async (now, limit) => own(await tracked.toCompare(now, MOST), limit),
      allPreviews: async (limit) => own(await tracked.allPreviews(MOST), limit),
    },
    backlog: { ...backlog, due: async (now, limit) => own(await backlog.due(now, MOST), limit) },
    user,
  };
}
