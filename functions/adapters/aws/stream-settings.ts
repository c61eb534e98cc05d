import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { dynamoDb } from './dynamodb.ts';
import { numberVariable, variable } from './environment.ts';

/** The limits on streams, and the table that has the open ones. */
export interface StreamSettings {
  readonly seconds: number;
  readonly slots: { readonly user: number; readonly service: number };
  readonly client: DynamoDBClient;
  readonly table: string;
}

/** Returns the settings of streams, from the environment of a function. */
export function streamSettings(): StreamSettings {
  return {
    seconds: numberVariable('CHANGES_SECONDS'),
    slots: { user: numberVariable('STREAMS_PER_USER'), service: numberVariable('STREAMS_IN_ALL') },
    client: dynamoDb(),
    table: variable('CONNECTIONS_TABLE'),
  };
}
