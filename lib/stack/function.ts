import { join } from 'node:path';
import { Aws, Duration, Fn, type IResolvable } from 'aws-cdk-lib';
import { PolicyDocument, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import {
  Architecture,
  CfnEventSourceMapping,
  CfnFunction,
  Code,
  EventSourceMapping,
  Function as LambdaFunction,
  LoggingFormat,
  Runtime,
} from 'aws-cdk-lib/aws-lambda';
import type { LogGroup } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import { type Access, all } from './access/access.ts';
import type { Parameters } from './parameters.ts';
import type { WorkQueue } from './queues.ts';

interface ServiceFunctionProps {
  /** Folder that holds a folder `<name>/index.mjs` per function, as `bundle` writes it. */
  readonly bundles: string;
  readonly logGroup: LogGroup;
  readonly timeoutSeconds: number;
  /** Megabytes; default 512. */
  readonly memoryMb?: number | undefined;
  /** The function's permissions, in addition to writing its own log. */
  readonly access?: readonly Access[];
}

interface QueueSource {
  readonly batchSize: number;
  /** The mapping's `ScalingConfig`, which limits the invocations at a time; default: no limit. */
  readonly scaling?: IResolvable;
}

/**
 * A function of the service, named for its folder under `functions/`: its bundle, and its own role, which allows what
 * is listed and nothing else.
 *
 * Concurrency is reserved only where the operator says so (see `reserve`): a new account has 10 in all and can reserve
 * none. Functions of queues are limited where the queue is polled (see `addQueueSource`).
 */
export class ServiceFunction extends LambdaFunction {
  /** The folder under `functions/`. */
  readonly folder: string;

  constructor(scope: Construct, name: string, props: ServiceFunctionProps) {
    const parts = new Construct(scope, `${name}-parts`);
    const { logGroup } = props;
    const { environment, statements } = all(...(props.access ?? []));
    const role = ownRole(parts, [writeLogLines(logGroup), ...statements]);
    super(scope, name, {
      // CloudFormation chooses the function's name; the description says which one it is.
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
      role,
    });
    this.folder = name;
  }

  /** Reserves runs, so that applications cannot take them, where the operator has said how many. */
  reserve(
    { reserves, reservedConcurrency }: Pick<Parameters, 'reserves' | 'reservedConcurrency'>,
    runs: IResolvable | number = reservedConcurrency.valueAsNumber,
  ): void {
    const resource = this.node.defaultChild;
    if (!(resource instanceof CfnFunction)) throw new Error('The function has no resource in the template.');
    const given = Fn.conditionIf(reserves.logicalId, runs, Aws.NO_VALUE);
    resource.addPropertyOverride('ReservedConcurrentExecutions', given);
  }

  /**
   * Makes the function consume a queue, for which it needs `consume` access, in batches of up to `batchSize` messages.
   *
   * With a limit a burst of deploys leaves the rest of the account's concurrency to the API.
   */
  addQueueSource(queue: WorkQueue, { batchSize, scaling }: QueueSource): void {
    const source = new EventSourceMapping(this, 'Source', {
      target: this,
      eventSourceArn: queue.queue.queueArn,
      batchSize,
      reportBatchItemFailures: true,
    });
    const resource = source.node.defaultChild;
    if (!(resource instanceof CfnEventSourceMapping)) throw new Error('The mapping has no resource in the template.');
    if (scaling) resource.scalingConfig = scaling;
  }
}

function ownRole(scope: Construct, statements: readonly PolicyStatement[]): Role {
  return new Role(scope, 'Role', {
    assumedBy: new ServicePrincipal('lambda.amazonaws.com'),
    // Inline, not as a separate policy: Lambda checks already at creation that the role may poll the queue.
    inlinePolicies: { own: new PolicyDocument({ statements: [...statements] }) },
  });
}

function writeLogLines(logGroup: LogGroup): PolicyStatement {
  return new PolicyStatement({
    actions: ['logs:CreateLogStream', 'logs:PutLogEvents'],
    resources: [logGroup.logGroupArn],
  });
}
