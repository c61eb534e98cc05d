import { CfnCondition, Fn } from 'aws-cdk-lib';
import type { TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import type { Parameters } from '../parameters.ts';
import type { Socket } from '../socket.ts';
import { type Access, all, allow } from './access.ts';

/** Opens a connection to the internal WebSocket API. Messages on an open connection need no permission. */
export function receiveSignals(internal: Socket): Access {
  return {
    environment: { SIGNALS_URL: internal.stage.url },
    statements: [allow(['execute-api:Invoke'], internal.api.arnForExecuteApiV2('$connect', internal.stage.stageName))],
  };
}

/** Tells clients the address of their WebSocket API: the one that the operator has set, or that of the stage. */
export function nameSignals(clients: Socket, { publicSignalsUrl }: Parameters): Access {
  const given = new CfnCondition(clients, 'PublicSignalsUrlGiven', {
    expression: Fn.conditionNot(Fn.conditionEquals(publicSignalsUrl.valueAsString, '')),
  });
  const url = Fn.conditionIf(given.logicalId, publicSignalsUrl.valueAsString, clients.stage.url).toString();
  return { environment: { SIGNALS_URL: url } };
}

/** Occupies one of a limited number of slots, which are items of the table of connections, as long as a request lasts. */
export function takeSlots(connections: TableV2, { streamsPerUser, streamsInAll }: Parameters): Access {
  const actions = ['PutItem', 'Query', 'DeleteItem'].map((action) => `dynamodb:${action}`);
  return {
    environment: {
      CONNECTIONS_TABLE: connections.tableName,
      STREAMS_PER_USER: streamsPerUser.valueAsString,
      STREAMS_IN_ALL: streamsInAll.valueAsString,
    },
    statements: [allow(actions, connections.tableArn)],
  };
}

/** Holds streams open, each in a slot. */
export function holdStreams(connections: TableV2, parameters: Parameters): Access {
  const environment = { CHANGES_SECONDS: parameters.changesSeconds.valueAsString };
  return all(takeSlots(connections, parameters), { environment });
}

/** Remembers wrong passwords, in the table of connections. */
export function rememberFailures(connections: TableV2): Access {
  const actions = ['GetItem', 'UpdateItem', 'DeleteItem'].map((action) => `dynamodb:${action}`);
  return {
    environment: { CONNECTIONS_TABLE: connections.tableName },
    statements: [allow(actions, connections.tableArn)],
  };
}

/** Remembers refused calls, in the table of connections, or reads them. */
export function refusedCalls(connections: TableV2, action: 'PutItem' | 'GetItem'): Access {
  return {
    environment: { CONNECTIONS_TABLE: connections.tableName },
    statements: [allow([`dynamodb:${action}`], connections.tableArn)],
  };
}

/** Writes the connection registry, for both WebSocket APIs. */
export function registerConnections(connections: TableV2, internal: Socket): Access {
  const actions = ['GetItem', 'PutItem', 'DeleteItem'].map((action) => `dynamodb:${action}`);
  return {
    environment: { CONNECTIONS_TABLE: connections.tableName, INTERNAL_API: internal.api.apiId },
    statements: [allow(actions, connections.tableArn)],
  };
}

/** Posts to open connections, and deletes those that are gone from the registry. */
export function postSignals(connections: TableV2, apis: Readonly<Record<'internal' | 'clients', Socket>>): Access {
  const { internal, clients } = apis;
  return {
    environment: {
      CONNECTIONS_TABLE: connections.tableName,
      INTERNAL_POST: internal.stage.callbackUrl,
      PUBLIC_POST: clients.stage.callbackUrl,
    },
    statements: [
      allow(['dynamodb:Query', 'dynamodb:DeleteItem'], connections.tableArn),
      ...[internal, clients].map(({ api, stage }) =>
        allow(['execute-api:ManageConnections'], api.arnForExecuteApiV2('POST/@connections/*', stage.stageName)),
      ),
    ],
  };
}
