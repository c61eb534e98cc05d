import { describe, expect, it } from 'vitest';
import { stages } from '../../../../functions/core/pipeline/pipeline.ts';
import { serviceTemplate, target } from '../../../support/service-template.ts';

const { template, ofType } = serviceTemplate();
const queues = new Map(ofType('AWS::SQS::Queue').map((queue) => [queue.id, queue.properties]));
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

describe('the queues', () => {
  it('are one per stage of the pipeline and one for reports, each with a function and a dead-letter queue', () => {
    // What follows the table's stream works off no queue.
    const folders = sources.map(({ works }) => works?.Description).filter((name) => name !== 'changes-signal');
    folders.sort();
    expect(folders).toEqual([...stages.map((stage) => `stage-${stage.name}`), 'report-status'].sort());
    // One more keeps the signals that were given up; nobody works it off.
    expect(queues.size).toBe(2 * folders.length + 1);
  });

  it('are encrypted and refuse plain HTTP', () => {
    for (const queue of queues.values()) expect(queue.SqsManagedSseEnabled).toBe(true);
    const closed = ofType('AWS::SQS::QueuePolicy').flatMap(({ properties }) =>
      properties.PolicyDocument.Statement.some(
        (statement: { Effect: string; Condition?: object }) =>
          statement.Effect === 'Deny' &&
          JSON.stringify(statement.Condition) === '{"Bool":{"aws:SecureTransport":"false"}}',
      )
        ? properties.Queues.map(target)
        : [],
    );
    expect(closed.sort()).toEqual([...queues.keys()].sort());
  });
});

describe.each(stages)('the stage $name', (stage) => {
  const { works, queue, deadLetters, properties } = sourceOf(`stage-${stage.name}`);

  it('keeps the order of each repository and lets others run beside it', () => {
    expect(queue).toMatchObject({
      FifoQueue: true,
      FifoThroughputLimit: 'perMessageGroupId',
      DeduplicationScope: 'messageGroup',
    });
    expect(queue.ContentBasedDeduplication).toBeUndefined();
  });

  it('has the time, the memory and the receives that the pipeline says', () => {
    expect(works).toMatchObject({ Timeout: stage.timeoutSeconds, MemorySize: stage.memoryMb });
    expect(queue.RedrivePolicy.maxReceiveCount).toBe(stage.maxReceives);
  });

  it('hides a message for six times as long as a run may take', () => {
    expect(queue.VisibilityTimeout).toBe(6 * stage.timeoutSeconds);
  });

  it('keeps what could not be worked off for two weeks, in order', () => {
    expect(deadLetters).toMatchObject({ FifoQueue: true, MessageRetentionPeriod: 14 * 24 * 60 * 60 });
  });

  it('takes one message at a time and fails it alone', () => {
    expect(properties).toMatchObject({
      BatchSize: 1,
      FunctionResponseTypes: ['ReportBatchItemFailures'],
      ScalingConfig: { MaximumConcurrency: 10 },
    });
  });
});

describe('the reports', () => {
  it('come in any order, ten at once, and one failing fails alone', () => {
    const { queue, deadLetters, properties } = sourceOf('report-status');
    expect(queue.FifoQueue).toBeUndefined();
    expect(deadLetters?.FifoQueue).toBeUndefined();
    expect(properties).toMatchObject({ BatchSize: 10, FunctionResponseTypes: ['ReportBatchItemFailures'] });
  });
});

describe('the sweep', () => {
  it('runs each minute, and a run that failed is left to the next', () => {
    const [rule] = ofType('AWS::Events::Rule');
    expect(rule?.properties).toMatchObject({ ScheduleExpression: 'rate(1 minute)', State: 'ENABLED' });
    expect(functions.get(target(rule?.properties.Targets[0].Arn))?.Description).toBe('sweep');
    template.hasResourceProperties('AWS::Lambda::EventInvokeConfig', { MaximumRetryAttempts: 0 });
  });
});
