import { join } from 'node:path';
import { Duration, RemovalPolicy } from 'aws-cdk-lib';
import { PolicyDocument, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import {
  Architecture,
  Code,
  EventSourceMapping,
  Function as LambdaFunction,
  LoggingFormat,
  Runtime,
} from 'aws-cdk-lib/aws-lambda';
import { LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import { type Access, all } from './access.ts';
import type { WorkQueue } from './queues.ts';

/** What differs from function to function. */
export interface ServiceFunctionProps {
  /** Folder that holds a folder `<name>/index.mjs` per function, as `bundle` writes it. */
  readonly bundles: string;
  readonly timeoutSeconds: number;
  /** Megabytes; default 512. */
  readonly memoryMb?: number;
  /** All that the function may do, besides writing its own log. */
  readonly access?: readonly Access[];
}

/**
 * A function of the service, named for its folder under `functions/`: its bundle, an own role that may do what is listed
 * and nothing else, and an own log group.
 *
 * No concurrency is reserved: new accounts have 10 in all, and then none can be. What must not take all of it, the work
 * on queues, is limited where it is polled (see `worksOff`).
 */
export class ServiceFunction extends LambdaFunction {
  /** The folder under `functions/`. */
  readonly folder: string;

  constructor(scope: Construct, name: string, props: ServiceFunctionProps) {
    const parts = new Construct(scope, `${name}-parts`);
    const logGroup = new LogGroup(parts, 'Logs', {
      retention: RetentionDays.ONE_MONTH,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    const { environment, statements } = all(...(props.access ?? []));
    super(scope, name, {
      // The function's own name is CloudFormation's to choose; this is what people know it by.
      description: name,
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      handler: 'index.handler',
      code: Code.fromAsset(join(props.bundles, name)),
      timeout: Duration.seconds(props.timeoutSeconds),
      memorySize: props.memoryMb ?? 512,
      environment,
      logGroup,
      loggingFormat: LoggingFormat.JSON,
      role: ownRole(parts, [writeOwnLog(logGroup), ...statements]),
    });
    this.folder = name;
  }

  /**
   * Has the function work off a queue, of which it must have `consume` access. `batchSize` messages come at once.
   *
   * At most ten run beside each other, so that a burst of deploys leaves the account's concurrency to the API.
   */
  worksOff(queue: WorkQueue, batchSize: number): void {
    new EventSourceMapping(this, 'Source', {
      target: this,
      eventSourceArn: queue.queue.queueArn,
      batchSize,
      maxConcurrency: 10,
      reportBatchItemFailures: true,
    });
  }
}

function ownRole(scope: Construct, statements: readonly PolicyStatement[]): Role {
  return new Role(scope, 'Role', {
    assumedBy: new ServicePrincipal('lambda.amazonaws.com'),
    // In the role itself, not in a policy beside it: Lambda checks at creation that it may poll the queue.
    inlinePolicies: { own: new PolicyDocument({ statements: [...statements] }) },
  });
}

function writeOwnLog(logGroup: LogGroup): PolicyStatement {
  return new PolicyStatement({
    actions: ['logs:CreateLogStream', 'logs:PutLogEvents'],
    resources: [logGroup.logGroupArn],
  });
}
