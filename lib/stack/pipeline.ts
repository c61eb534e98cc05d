import { CfnElement, Duration, Stack, Validations } from 'aws-cdk-lib';
import { Rule, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets';
import type { Bucket } from 'aws-cdk-lib/aws-s3';
import { Construct } from 'constructs';
import { type Stage, type StageName, stages } from '../../functions/core/pipeline/pipeline.ts';
import {
  type Access,
  callHosts,
  callPlatform,
  consume,
  findDue,
  hold,
  readLog,
  readTarballs,
  removeTarballs,
  sendTo,
  tryAgain,
  writeLog,
  writeTarballs,
} from './access.ts';
import { ServiceFunction } from './function.ts';
import type { Parameters } from './parameters.ts';
import type { Queues } from './queues.ts';
import type { Stores } from './stores.ts';

/** What the pipeline is built on. */
export interface PipelineProps {
  readonly bundles: string;
  readonly parameters: Parameters;
  readonly stores: Stores;
  readonly queues: Queues;
}

/** The stages of a deploy, the reports to repository hosts, and the sweep that picks up what got stuck. */
export class Pipeline extends Construct {
  readonly functions: readonly ServiceFunction[];
  readonly sweep: ServiceFunction;
  readonly #props: PipelineProps;

  constructor(scope: Construct, id: string, props: PipelineProps) {
    super(scope, id);
    this.#props = props;
    const access = stageAccess(props);
    this.sweep = this.#sweep();
    this.functions = [...stages.map((stage) => this.#stage(stage, access[stage.name])), this.#report(), this.sweep];
    Validations.of(this).acknowledge({
      id: `AwsSolutions-IAM5[Resource::<${logicalId(props.stores.tarballs)}.Arn>/*]`,
      reason: 'The bucket holds nothing but tarballs, and a tarball is named for its deploy.',
    });
  }

  #stage(stage: Stage, access: readonly Access[]): ServiceFunction {
    const { bundles, parameters, stores, queues } = this.#props;
    const queue = queues.named(stage.name);
    const stageFunction = new ServiceFunction(this, `stage-${stage.name}`, {
      bundles,
      timeoutSeconds: stage.timeoutSeconds,
      memoryMb: stage.memoryMb,
      access: [consume(queue), writeLog(stores.log), sendTo(queues.named('report')), tryAgain(parameters), ...access],
    });
    // One at a time: a message may take the whole timeout, and those behind it in the batch would run out of theirs.
    stageFunction.worksOff(queue, 1);
    return stageFunction;
  }

  #report(): ServiceFunction {
    const { bundles, parameters, stores, queues } = this.#props;
    const queue = queues.named('report');
    const report = new ServiceFunction(this, 'report-status', {
      bundles,
      timeoutSeconds: queue.timeoutSeconds,
      access: [consume(queue), readLog(stores.log), callHosts(parameters, stores.tokenKey)],
    });
    report.worksOff(queue, 10);
    return report;
  }

  #sweep(): ServiceFunction {
    const { bundles, parameters, stores, queues } = this.#props;
    const sweep = new ServiceFunction(this, 'sweep', {
      bundles,
      timeoutSeconds: 60,
      access: [writeLog(stores.log), findDue(stores.log), hold(parameters), ...queues.all.map(sendTo)],
    });
    // A run that failed is not repeated: the next one is less than a minute away and does the same.
    const everyMinute = new LambdaFunction(sweep, { retryAttempts: 0, maxEventAge: Duration.minutes(1) });
    sweep.configureAsyncInvoke({ retryAttempts: 0, maxEventAge: Duration.minutes(1) });
    new Rule(this, 'EveryMinute', { schedule: Schedule.rate(Duration.minutes(1)), targets: [everyMinute] });
    return sweep;
  }
}

/**
 * For a function through which bytes stream: a small nursery of the heap, so that what is gone is collected early and a
 * tarball of 500 MB takes no more memory than one of 50.
 */
const streamsBytes: Access = { environment: { NODE_OPTIONS: '--max-semi-space-size=2' } };

/** What each stage may do beyond what all of them may. */
function stageAccess({ parameters, stores, queues }: PipelineProps): Record<StageName, readonly Access[]> {
  const hosts = callHosts(parameters, stores.tokenKey);
  const platform = callPlatform(parameters, stores.platformToken);
  const send = (name: StageName) => sendTo(queues.named(name));
  return {
    // Back to `check`, when a passed build releases a held push.
    check: [send('fetch'), send('check'), hosts, hold(parameters)],
    fetch: [send('upload'), hosts, writeTarballs(stores.tarballs), streamsBytes],
    // Back to `fetch`, when the tarball has expired meanwhile.
    upload: [send('extract'), send('fetch'), platform, readTarballs(stores.tarballs), streamsBytes],
    extract: [send('start'), platform],
    start: [platform, removeTarballs(stores.tarballs)],
  };
}

/** A bucket's name within the template, as cdk-nag's findings spell it. */
function logicalId(bucket: Bucket): string {
  const resource = bucket.node.defaultChild;
  if (!CfnElement.isCfnElement(resource)) throw new Error('The bucket has no resource in the template.');
  return Stack.of(bucket).getLogicalId(resource);
}
