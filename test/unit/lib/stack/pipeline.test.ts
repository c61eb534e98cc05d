import { describe, expect, it } from 'vitest';
import { stages } from '../../../../functions/core/pipeline/pipeline.ts';
import { chosen, serviceTemplate, target } from '../../../support/template/service-template.ts';

const { template, ofType } = serviceTemplate();
const queues = new Map(ofType('AWS::SQS::Queue').map((queue) => [queue.id, queue.properties]));
const NONE = { Ref: 'AWS::NoValue' };
const DAY_SECONDS = 24 * 60 * 60;
const functions = new Map(ofType('AWS::Lambda::Function').map((one) => [one.id, one.properties]));

/** Which function works off which queue, and how. */
const sources = ofType('AWS::Lambda::EventSourceMapping').map(({ properties }) => ({
  works: functions.get(target(properties.FunctionName)),
  queue: queues.get(target(properties.EventSourceArn)),
  properties,
}));

function sourceOf(folder: string) {
  const source = sources.find(({ works }) => works?.Description === folder);
  if (!source?.queue) throw new Error(`${folder} works off no queue.`);
  return { ...source, deadLetters: queues.get(target(source.queue.RedrivePolicy.deadLetterTargetArn)) };
}

describe('the queues of the pipeline', () => {
  it('are one per stage and one for commit statuses, each with a function; the stages share a dead-letter queue', () => {
    // What follows the table's stream works off no queue.
    const folders = sources.map(({ works }) => works?.Description).filter((name) => name !== 'changes-signal');
    folders.sort();
    expect(folders).toEqual([...stages.map((stage) => `stage-${stage.name}`), 'report-status'].sort());
    // Besides the two queues of dead letters, one keeps the signals that were given up; nobody works it off.
    expect(queues.size).toBe(folders.length + 3);
  });

  it('keep dead letters longer than messages, because a dead letter may keep the age of its message', () => {
    for (const [id, { RedrivePolicy: redrive, MessageRetentionPeriod: seconds }] of queues) {
      const kept = queues.get(redrive ? target(redrive.deadLetterTargetArn) : '')?.MessageRetentionPeriod;
      expect(seconds, id).toBe(redrive ? 4 * DAY_SECONDS : 14 * DAY_SECONDS);
      if (redrive) expect(kept, id).toBeGreaterThan(seconds);
    }
  });
});

describe.each(stages)('the stage $name', (stage) => {
  const { works, queue, deadLetters, properties } = sourceOf(`stage-${stage.name}`);

  it('keeps the order within a repository and runs others concurrently', () => {
    expect(queue).toMatchObject({
      FifoQueue: true,
      FifoThroughputLimit: 'perMessageGroupId',
      DeduplicationScope: 'messageGroup',
    });
    expect(queue.ContentBasedDeduplication).toBeUndefined();
  });

  it('has the timeout, memory and maximum receives of the pipeline', () => {
    expect(works).toMatchObject({ Timeout: stage.timeoutSeconds, MemorySize: stage.memoryMb });
    expect(queue.RedrivePolicy.maxReceiveCount).toBe(stage.maxReceives);
  });

  it('has a visibility timeout a little over its function’s timeout, because a hidden message locks its repository', () => {
    const marginSeconds = queue.VisibilityTimeout - stage.timeoutSeconds;
    expect(marginSeconds).toBeGreaterThanOrEqual(30);
    expect(marginSeconds).toBeLessThanOrEqual(60);
  });

  it('keeps dead letters for two weeks, in order', () => {
    expect(deadLetters).toMatchObject({ FifoQueue: true, MessageRetentionPeriod: 14 * DAY_SECONDS });
  });

  it('receives one message at a time and reports its failure alone', () => {
    expect(properties).toMatchObject({
      BatchSize: 1,
      FunctionResponseTypes: ['ReportBatchItemFailures'],
    });
  });

  it('has StageConcurrency as its limit, or else what is reserved for it, or else none', () => {
    const limit = (...holding: string[]) => chosen(properties.ScalingConfig, holding);
    expect(limit()).toEqual(NONE);
    expect(limit('ReservationGiven')).toEqual({ MaximumConcurrency: { Ref: 'ReservedConcurrency' } });
    for (const holding of [['LimitGiven'], ['LimitGiven', 'ReservationGiven']])
      expect(limit(...holding)).toEqual({ MaximumConcurrency: { Ref: 'StageConcurrency' } });
  });
});

describe('a function that works off a queue', () => {
  it('has no more reserved than is received for it, or Lambda would receive what may not run', () => {
    for (const holding of [[], ['LimitGiven'], ['ReservationGiven'], ['LimitGiven', 'ReservationGiven']]) {
      for (const { works, queue, properties } of sources) {
        const reserved = chosen(works?.ReservedConcurrentExecutions, holding) ?? NONE;
        if (!queue || JSON.stringify(reserved) === JSON.stringify(NONE)) continue;
        const { MaximumConcurrency: received } = chosen(properties.ScalingConfig, holding) ?? {};
        expect(received, `${works?.Description}, ${holding}`).toEqual(chosen(reserved, holding));
      }
    }
  });
});

describe('the queue of commit statuses', () => {
  it('is not ordered, has batches of ten, and reports each failure alone', () => {
    const { queue, deadLetters, properties } = sourceOf('report-status');
    expect(queue.FifoQueue).toBeUndefined();
    expect(deadLetters?.FifoQueue).toBeUndefined();
    expect(properties).toMatchObject({ BatchSize: 10, FunctionResponseTypes: ['ReportBatchItemFailures'] });
  });
});

describe('the sweep, the watch over applications and reconciling', () => {
  it('run every minute, without retries', () => {
    const [rule, ...others] = ofType('AWS::Events::Rule').filter(({ properties }) => properties.ScheduleExpression);
    expect(others).toEqual([]);
    expect(rule?.properties).toMatchObject({ ScheduleExpression: 'rate(1 minute)', State: 'ENABLED' });
    const folders = rule?.properties.Targets.map(
      ({ Arn }: { Arn: unknown }) => functions.get(target(Arn))?.Description,
    );
    expect(folders).toEqual(['sweep', 'watch-apps', 'reconcile']);
    template.hasResourceProperties('AWS::Lambda::EventInvokeConfig', { MaximumRetryAttempts: 0 });
  });
});
