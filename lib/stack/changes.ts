import { CfnElement, Duration, RemovalPolicy, Stack, Validations } from 'aws-cdk-lib';
import { WebSocketIamAuthorizer, WebSocketLambdaAuthorizer } from 'aws-cdk-lib/aws-apigatewayv2-authorizers';
import { AttributeType, TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import { EventSourceMapping, FilterCriteria, FilterRule, StartingPosition } from 'aws-cdk-lib/aws-lambda';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { keepConnections, postSignals, readCounters, readLogStream, reportFailures } from './access.ts';
import type { Api } from './api.ts';
import { ServiceFunction } from './function.ts';
import { Socket } from './socket.ts';
import type { Stores } from './stores.ts';

/** What telling of changes is built on. */
export interface ChangesProps {
  readonly bundles: string;
  readonly stores: Stores;
}

/** Seconds for a message of a socket; the gateway gives up after 29. */
const registerSeconds = 10;
/** Seconds for a batch of signals. */
const signalSeconds = 60;

/**
 * How readers learn that there is something new: the log's stream, who is connected, and the two sockets.
 *
 * Two, because only `$connect` can have an authorizer and no more than one: the service's own functions sign with their
 * role, and no client outside can do that; those outside log in as everywhere.
 * https://docs.aws.amazon.com/apigateway/latest/developerguide/apigateway-websocket-api-control-access.html
 */
export class Changes extends Construct {
  /** For the functions that stream changes. */
  readonly inside: Socket;
  /** For clients outside. */
  readonly outside: Socket;
  /** What was given up after several tries. */
  readonly failures: Queue;
  readonly register: ServiceFunction;
  readonly signal: ServiceFunction;
  readonly functions: readonly ServiceFunction[];

  constructor(scope: Construct, id: string, { bundles, stores }: ChangesProps) {
    super(scope, id);
    this.inside = new Socket(this, 'Inside', {
      name: 'deployment-webhooks-inside',
      description: 'Signals of changes, for the functions that stream them',
    });
    this.outside = new Socket(this, 'Outside', {
      name: 'deployment-webhooks-outside',
      description: 'Signals of changes, for clients',
    });
    this.failures = failureQueue(this);
    const connections = connectionTable(this);
    this.register = new ServiceFunction(this, 'changes-register', {
      bundles,
      timeoutSeconds: registerSeconds,
      access: [keepConnections(connections, this.inside), readCounters(stores.log)],
    });
    this.signal = new ServiceFunction(this, 'changes-signal', {
      bundles,
      timeoutSeconds: signalSeconds,
      access: [readLogStream(stores.log), postSignals(connections, this), reportFailures(this.failures)],
    });
    this.functions = [this.register, this.signal];
    this.#watch(stores.log);
    this.inside.answerBy(this.register, new WebSocketIamAuthorizer());
    acknowledgePosting(this, [this.inside, this.outside]);
  }

  /** Opens the socket for clients outside, with the login of the API. */
  letIn({ authorize, rest }: Api): void {
    // No identity source: where the login stands, header or subprotocol, is the authorizer's to find out.
    const login = new WebSocketLambdaAuthorizer('Login', authorize, { identitySource: [] });
    this.outside.answerBy(this.register, login);
    // The stages write access logs, which an account can only after it was told of the role to do it with.
    const account = rest.node.findChild('Account');
    for (const { stage } of [this.inside, this.outside]) stage.node.addDependency(account);
  }

  /**
   * Only new changes: one record for each transaction of the log, as its counter would be, and with what has changed, so
   * that nobody has to read it. What happened before is nobody's concern any more: who connects reads where the log is.
   */
  #watch(log: TableV2): void {
    const isChange = FilterCriteria.filter({
      eventName: FilterRule.isEqual('INSERT'),
      dynamodb: { Keys: { sk: { S: FilterRule.beginsWith('C#') } } },
    });
    new EventSourceMapping(this, 'LogStream', {
      target: this.signal,
      ...(log.tableStreamArn && { eventSourceArn: log.tableStreamArn }),
      startingPosition: StartingPosition.LATEST,
      filters: [isChange],
      batchSize: 100,
      parallelizationFactor: 4,
      reportBatchItemFailures: true,
      bisectBatchOnError: true,
      retryAttempts: 3,
      maxRecordAge: Duration.minutes(5),
      // By hand, and not `SqsDlq`, which would grant more to the function in a policy beside its own.
      onFailure: { bind: () => ({ destination: this.failures.queueArn }) },
    });
  }
}

/** Nothing in it is worth keeping: a connection lives two hours at most. */
function connectionTable(scope: Construct): TableV2 {
  const table = new TableV2(scope, 'Connections', {
    partitionKey: { name: 'pk', type: AttributeType.STRING },
    sortKey: { name: 'sk', type: AttributeType.STRING },
    timeToLiveAttribute: 'expires',
    removalPolicy: RemovalPolicy.DESTROY,
  });
  Validations.of(table).acknowledge({
    id: 'AwsSolutions-DDB3',
    reason: 'It holds open connections only; none of them survives what a backup would be needed for.',
  });
  return table;
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
