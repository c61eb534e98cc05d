import { Aws, CfnElement, Duration, Fn, Stack, Validations } from 'aws-cdk-lib';
import type { SpecRestApi } from 'aws-cdk-lib/aws-apigateway';
import { WebSocketIamAuthorizer, WebSocketLambdaAuthorizer } from 'aws-cdk-lib/aws-apigatewayv2-authorizers';
import type { TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import {
  CfnEventSourceMapping,
  EventSourceMapping,
  FilterCriteria,
  FilterRule,
  StartingPosition,
} from 'aws-cdk-lib/aws-lambda';
import type { LogGroup } from 'aws-cdk-lib/aws-logs';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { readLogStream, watchLog } from './access/log.ts';
import { reportFailures } from './access/queues.ts';
import { postSignals, registerConnections } from './access/signals.ts';
import { ServiceFunction } from './function.ts';
import type { Parameters } from './parameters.ts';
import { Socket } from './socket.ts';
import { expiringTable, type Stores } from './stores.ts';

interface ChangesProps {
  readonly parameters: Parameters;
  readonly bundles: string;
  readonly logGroup: LogGroup;
  readonly stores: Stores;
}

/** Resources that the clients' WebSocket API shares with the REST API. */
interface SharedWithClients {
  /** Checks logins. */
  readonly authorize: ServiceFunction;
  readonly rest: SpecRestApi;
}

/** For a message of a WebSocket; the gateway times out after 29 seconds. */
const REGISTER_TIMEOUT_SECONDS = 10;
/** For a batch of notifications. */
const SIGNAL_TIMEOUT_SECONDS = 60;

/**
 * Change notifications: the log's stream, the connection registry, and the two WebSocket APIs.
 *
 * There are two APIs because only `$connect` can have an authorizer, and only one: the service's own functions sign
 * with their role, which no client can do; clients log in as at every other endpoint.
 * https://docs.aws.amazon.com/apigateway/latest/developerguide/apigateway-websocket-api-control-access.html
 */
export class Changes extends Construct {
  /** For the functions that stream changes. */
  readonly internal: Socket;
  /** For clients. */
  readonly clients: Socket;
  /** The table of short-lived items: connections, slots of streams, wrong passwords. */
  readonly connections: TableV2;
  /** Batches that failed several times. */
  readonly failures: Queue;
  readonly register: ServiceFunction;
  readonly signal: ServiceFunction;
  readonly functions: readonly ServiceFunction[];

  constructor(scope: Construct, id: string, { parameters, bundles, logGroup, stores }: ChangesProps) {
    super(scope, id);
    this.internal = new Socket(this, 'Inside', {
      name: `${Aws.STACK_NAME}-inside`,
      description: 'Signals of changes, for the functions that stream them',
    });
    this.clients = new Socket(this, 'Outside', {
      name: `${Aws.STACK_NAME}-outside`,
      description: 'Signals of changes, for clients',
    });
    this.failures = failureQueue(this);
    // A connection lives two hours at most, a stream some minutes.
    const shortLived =
      'It holds open connections and streams only; none of them survives what a backup would be needed for.';
    this.connections = expiringTable(this, 'Connections', shortLived);
    this.register = new ServiceFunction(this, 'changes-register', {
      bundles,
      logGroup,
      timeoutSeconds: REGISTER_TIMEOUT_SECONDS,
      access: [registerConnections(this.connections, this.internal), watchLog(stores.log)],
    });
    this.signal = new ServiceFunction(this, 'changes-signal', {
      bundles,
      logGroup,
      timeoutSeconds: SIGNAL_TIMEOUT_SECONDS,
      access: [readLogStream(stores.log), postSignals(this.connections, this), reportFailures(this.failures)],
    });
    this.functions = [this.register, this.signal];
    this.#watch(stores.log, parameters);
    this.internal.addRoutes(this.register, new WebSocketIamAuthorizer());
    acknowledgePosting(this, [this.internal, this.clients]);
    Validations.of(this).acknowledge({
      id: 'AwsSolutions-IAM5[Resource::*]',
      reason: 'dynamodb:ListStreams cannot be limited to a stream; Lambda asks for it at a table stream.',
    });
  }

  /** Adds the routes of the clients' WebSocket API, with the login of the REST API. */
  attachClients({ authorize, rest }: SharedWithClients): void {
    // The login may be in a header or in a subprotocol, and the authorizer looks for both; without its source, which must
    // not be empty, a handshake is refused. This one is always there.
    const login = new WebSocketLambdaAuthorizer('Login', authorize, { identitySource: ['context.stage'] });
    this.clients.addRoutes(this.register, login);
    // The stages write access logs, which needs the role that is set for the account.
    const account = rest.node.findChild('Account');
    for (const { stage } of [this.internal, this.clients]) stage.node.addDependency(account);
  }

  /**
   * Passes the new rows of the feed that somebody may watch: one record per transaction, and the row is in it. It starts at the latest record,
   * because a client reads the log when it connects.
   */
  #watch(log: TableV2, { limitsStages }: Parameters): void {
    const isChange = FilterCriteria.filter({
      eventName: FilterRule.isEqual('INSERT'),
      dynamodb: {
        Keys: { sk: { S: FilterRule.beginsWith('C#') } },
        // The mark of `changeItem`.
        NewImage: { watched: { S: FilterRule.isEqual('yes') } },
      },
    });
    const mapping = new EventSourceMapping(this, 'LogStream', {
      target: this.signal,
      ...(log.tableStreamArn && { eventSourceArn: log.tableStreamArn }),
      startingPosition: StartingPosition.LATEST,
      filters: [isChange],
      batchSize: 100,
      reportBatchItemFailures: true,
      bisectBatchOnError: true,
      retryAttempts: 3,
      maxRecordAge: Duration.minutes(5),
      // Not `SqsDlq`, which would grant more to the function, in a policy beside its own.
      onFailure: { bind: () => ({ destination: this.failures.queueArn }) },
    });
    const resource = mapping.node.defaultChild;
    if (!(resource instanceof CfnEventSourceMapping)) throw new Error('The mapping has no resource in the template.');
    // For each shard, of which a table has several: they would take all runs of a small account.
    resource.addPropertyOverride('ParallelizationFactor', Fn.conditionIf(limitsStages.logicalId, 1, 4));
  }
}

function failureQueue(scope: Construct): Queue {
  const queue = new Queue(scope, 'Failures', {
    encryption: QueueEncryption.SQS_MANAGED,
    enforceSSL: true,
    retentionPeriod: Duration.days(14),
  });
  Validations.of(queue).acknowledge({
    id: 'AwsSolutions-SQS3',
    reason: 'It is a dead-letter queue itself, that of a stream, which no redrive policy names.',
  });
  return queue;
}

function acknowledgePosting(scope: Construct, sockets: readonly Socket[]): void {
  for (const { api } of sockets) {
    const resource = api.node.defaultChild;
    if (!CfnElement.isCfnElement(resource)) throw new Error('The socket has no resource in the template.');
    const id = Stack.of(scope).getLogicalId(resource);
    Validations.of(scope).acknowledge({
      id: `AwsSolutions-IAM5[Resource::arn:<AWS::Partition>:execute-api:<AWS::Region>:<AWS::AccountId>:<${id}>/live/POST/@connections/*]`,
      reason: 'The connections of this socket, whose names are not known before they open.',
    });
  }
}
