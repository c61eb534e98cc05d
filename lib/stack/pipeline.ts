import { Aws, type CfnParameter, Duration, Fn, type IResolvable, Stack, Validations } from 'aws-cdk-lib';
import { Rule, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets';
import type { LogGroup } from 'aws-cdk-lib/aws-logs';
import type { Bucket } from 'aws-cdk-lib/aws-s3';
import { Construct } from 'constructs';
import { type Stage, type StageName, stageAfter, stages } from '../../functions/core/pipeline/pipeline.ts';
import { type Access, all, allow } from './access/access.ts';
import { type AppsAccess, buildSnapshots, endBuilds, lookAfterApps, runApps, storeSnapshots } from './access/apps.ts';
import { callHosts } from './access/hosts.ts';
import { appendEntries, closeEntries, findDue, queryApps, queryLog, readEntries, writeLog } from './access/log.ts';
import { consume, receive, sendTo } from './access/queues.ts';
import { hold, keepPreviews, reconcileEvery, retryLater } from './access/settings.ts';
import { manageUsers } from './access/users.ts';
import type { AppsPlatform } from './apps/apps-platform.ts';
import { ServiceFunction } from './function.ts';
import type { Parameters } from './parameters.ts';
import type { Queues } from './queues.ts';
import { logicalId, type Stores } from './stores.ts';

interface PipelineProps {
  readonly bundles: string;
  readonly logGroup: LogGroup;
  readonly parameters: Parameters;
  readonly stores: Stores;
  readonly queues: Queues;
  readonly apps: AppsPlatform;
}

/** Runs at a time of a function that a schedule, an event or the operator calls: what is reserved is a limit, too. */
const CALLED_BY_FEW = 2;

/**
 * The functions of the stages, of commit statuses, of the sweep, which finds stuck deploys, of the watch, which
 * finds crashed applications, of reconciling, which finds missed pushes, of the end of builds, and of the users.
 */
export class Pipeline extends Construct {
  readonly functions: readonly ServiceFunction[];
  readonly sweep: ServiceFunction;
  /** Adds users, for the operator. */
  readonly manageUsers: ServiceFunction;
  readonly #props: PipelineProps;
  readonly #scaling: IResolvable;

  constructor(scope: Construct, id: string, props: PipelineProps) {
    super(scope, id);
    this.#props = props;
    this.#scaling = scalingOf(this, props.parameters);
    const watch = this.#watch();
    const access = stageAccess(props, watch);
    this.sweep = this.#sweep();
    const reconcile = this.#reconcile();
    const scheduled = [this.sweep, watch, reconcile];
    props.apps.tellOfEnds(watch);
    const rule = new Rule(this, 'EveryMinute', { schedule: Schedule.rate(Duration.minutes(1)) });
    for (const one of scheduled) rule.addTarget(onceIn(Duration.minutes(1), one));
    const buildEnded = this.#buildEnded();
    props.apps.announceTo(buildEnded);
    this.manageUsers = this.#manageUsers();
    for (const one of [...scheduled, buildEnded, this.manageUsers]) one.reserve(props.parameters, CALLED_BY_FEW);
    this.functions = [
      ...stages.map((stage) => this.#stage(stage, access[stage.name])),
      this.#report(),
      ...scheduled,
      ...[buildEnded, this.manageUsers],
    ];
    Validations.of(this).acknowledge({
      id: `AwsSolutions-IAM5[Resource::<${logicalId(props.stores.tarballs)}.Arn>/*]`,
      reason: 'The bucket holds nothing but tarballs, and a tarball is named for its deploy.',
    });
  }

  #stage(stage: Stage, access: readonly Access[]): ServiceFunction {
    const { parameters, stores, queues } = this.#props;
    const queue = queues.named(stage.name);
    const next = stageAfter(stage.name);
    const stageFunction = new ServiceFunction(this, `stage-${stage.name}`, {
      ...this.#props,
      timeoutSeconds: stage.timeoutSeconds,
      memoryMb: stage.memoryMb,
      access: [
        ...[consume(queue), writeLog(stores.log), retryLater(parameters)],
        ...[...(next ? [next] : []), 'report' as const].map((name) => sendTo(queues.named(name))),
        ...access,
      ],
    });
    stageFunction.reserve(parameters, runsOf(parameters));
    // Batches of one, because a message may take the whole timeout.
    stageFunction.addQueueSource(queue, { batchSize: 1, scaling: this.#scaling });
    return stageFunction;
  }

  #report(): ServiceFunction {
    const { parameters, stores, queues } = this.#props;
    const queue = queues.named('report');
    const report = new ServiceFunction(this, 'report-status', {
      ...this.#props,
      timeoutSeconds: queue.timeoutSeconds,
      access: [
        ...[receive(queue), readEntries(stores.log), closeEntries(stores.log)],
        ...[
          callHosts(parameters, stores.tokenKey),
          removeTarballs(stores.tarballs),
          endBuilds(appsAccessOf(this.#props)),
        ],
      ],
    });
    // Without a limit also in a small account: a run takes a second, and Lambda polls an idle queue with a limit more.
    report.addQueueSource(queue, { batchSize: 10 });
    return report;
  }

  #sweep(): ServiceFunction {
    const { parameters, stores, queues } = this.#props;
    return new ServiceFunction(this, 'sweep', {
      ...this.#props,
      // After an outage there is much to look at.
      timeoutSeconds: 300,
      access: [writeLog(stores.log), findDue(stores.log), hold(parameters), ...queues.all.map(sendTo)],
    });
  }

  #watch(): ServiceFunction {
    const { stores, queues } = this.#props;
    const platform = lookAfterApps(appsAccessOf(this.#props));
    return new ServiceFunction(this, 'watch-apps', {
      ...this.#props,
      timeoutSeconds: 60,
      access: [appendEntries(stores), queryLog(stores.log), sendTo(queues.named('report')), platform],
    });
  }

  /** Looks every minute which applications are due, so that they are not all compared at once, and at pull requests. */
  #reconcile(): ServiceFunction {
    const { parameters, stores, queues } = this.#props;
    return new ServiceFunction(this, 'reconcile', {
      ...this.#props,
      timeoutSeconds: 300,
      access: [
        ...[appendEntries(stores), queryLog(stores.log), queryApps(stores.log), findDue(stores.log)],
        ...[callHosts(parameters, stores.tokenKey), reconcileEvery(parameters), keepPreviews(parameters)],
        ...(['check', 'start'] as const).map((name) => sendTo(queues.named(name))),
      ],
    });
  }

  #buildEnded(): ServiceFunction {
    const { stores, queues } = this.#props;
    return new ServiceFunction(this, 'build-ended', {
      ...this.#props,
      timeoutSeconds: 30,
      access: [readEntries(stores.log), sendTo(queues.named('extract'))],
    });
  }

  #manageUsers(): ServiceFunction {
    const { stores } = this.#props;
    return new ServiceFunction(this, 'manage-users', {
      ...this.#props,
      timeoutSeconds: 30,
      access: [manageUsers(stores.log)],
    });
  }
}

/** Returns the platform, as access to it needs it. */
export function appsAccessOf({
  parameters,
  stores,
  apps,
}: Omit<PipelineProps, 'bundles' | 'logGroup' | 'queues'>): AppsAccess {
  return { parameters, apps, sealingKey: stores.tokenKey };
}

/**
 * Returns the limit of the invocations of a stage at a time; without one Lambda polls idle queues less. What is reserved
 * is such a limit: of a queue without one, Lambda receives messages that it may not run, which are hidden, lock their
 * repository and count as received. https://repost.aws/knowledge-center/lambda-sqs-scaling
 */
function scalingOf(scope: Construct, { stageConcurrency, limitsStages, reservedConcurrency, reserves }: Parameters) {
  Validations.of(Stack.of(scope)).acknowledge({
    id: 'CloudFormation-Validate::W1030',
    reason:
      'The defaults of StageConcurrency and ReservedConcurrency, 0, mean no limit: a condition leaves it out then.',
  });
  const limit = ({ valueAsNumber }: CfnParameter) => ({ MaximumConcurrency: valueAsNumber });
  const reserved = Fn.conditionIf(reserves.logicalId, limit(reservedConcurrency), Aws.NO_VALUE);
  return Fn.conditionIf(limitsStages.logicalId, limit(stageConcurrency), reserved);
}

/** Reserves no less for a stage than its limit. */
function runsOf({ limitsStages, stageConcurrency, reservedConcurrency }: Parameters): IResolvable {
  return Fn.conditionIf(limitsStages.logicalId, stageConcurrency.valueAsNumber, reservedConcurrency.valueAsNumber);
}

/** A failed invocation is not retried: the next one of the schedule does the same work. */
function onceIn(maxEventAge: Duration, one: ServiceFunction): LambdaFunction {
  const once = { retryAttempts: 0, maxEventAge };
  one.configureAsyncInvoke(once);
  return new LambdaFunction(one, once);
}

/** Returns the access of each stage in addition to that of all stages, which send to the next one. */
function stageAccess(props: PipelineProps, watch: ServiceFunction): Record<StageName, readonly Access[]> {
  const { parameters, stores, queues } = props;
  const hosts = callHosts(parameters, stores.tokenKey);
  const platform = appsAccessOf(props);
  const send = (name: StageName) => sendTo(queues.named(name));
  return {
    check: [
      // Back to `check`, when a passed build releases a held push; to `start`, when a preview is removed.
      ...[send('check'), send('start'), hosts, hold(parameters), keepPreviews(parameters)],
      ...[appendEntries(stores), queryLog(stores.log), queryApps(stores.log)],
    ],
    fetch: [hosts, writeTarballs(stores.tarballs)],
    // `fetch`, for a tarball that has expired.
    upload: [send('fetch'), storeSnapshots(platform), readTarballs(stores.tarballs)],
    extract: [buildSnapshots(platform)],
    start: [runApps(platform, watch)],
  };
}

/** Writes tarballs, in parts; the upload of a refused one is aborted. */
function writeTarballs(tarballs: Bucket): Access {
  return tarballAccess(tarballs, ['s3:PutObject', 's3:AbortMultipartUpload']);
}

/** Reads tarballs. ListBucket, because S3 answers 403 instead of 404 for an expired object without it. */
function readTarballs(tarballs: Bucket): Access {
  return all(tarballAccess(tarballs, ['s3:GetObject']), { statements: [allow(['s3:ListBucket'], tarballs.bucketArn)] });
}

/** Deletes tarballs that are no longer needed. */
function removeTarballs(tarballs: Bucket): Access {
  return tarballAccess(tarballs, ['s3:DeleteObject']);
}

function tarballAccess(tarballs: Bucket, actions: string[]): Access {
  return {
    environment: { TARBALL_BUCKET: tarballs.bucketName },
    statements: [allow(actions, tarballs.arnForObjects('*'))],
  };
}
