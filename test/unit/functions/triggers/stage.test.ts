import { expect, it } from 'vitest';
import { DeployError } from '../../../../functions/core/errors.ts';
import { stages, workLimitMs } from '../../../../functions/core/pipeline/pipeline.ts';
import type { StageWork } from '../../../../functions/core/pipeline/stage-work.ts';
import { stageTrigger } from '../../../../functions/triggers/stage.ts';
import { memoryClock, memoryIds } from '../../../fakes/clock.ts';
import { memoryLog } from '../../../fakes/deploy-log.ts';
import { memoryQueue } from '../../../fakes/job-queue.ts';
import { AT, append, checked } from '../../../support/entries.ts';
import { loggedErrors, sqsEvent } from '../../../support/events/aws-events.ts';

const lines = loggedErrors();

async function receive(body: string, work: StageWork, limitMs?: number) {
  const log = memoryLog();
  const queue = memoryQueue();
  await append(log, { ...checked, stage: 'fetch' });
  const hidden: number[] = [];
  const handler = stageTrigger(work, {
    stage: 'fetch',
    log,
    queue,
    clock: memoryClock(AT),
    ids: memoryIds(),
    retryBaseSeconds: 30,
    ...(limitMs !== undefined && { limitMs }),
    setVisibility: async (_receipt, seconds) => void hidden.push(seconds),
  });
  const { batchItemFailures } = await handler(sqsEvent({ body }));
  return { log, queue, hidden, failed: batchItemFailures.length };
}

it('A message of a stage is worked on and sent further', async () => {
  const { queue, failed } = await receive('{"user":"ann","number":1}', async () => ({ kind: 'done' }));
  expect(failed).toBe(0);
  expect(queue.sent.map(({ stage }) => stage)).toEqual(['upload']);
});

it('A message whose work may succeed later is hidden until then', async () => {
  const { hidden, failed } = await receive('{"user":"ann","number":1}', async () => {
    throw new DeployError('deploy:repohost:download_tarball', 'The host is away.');
  });
  expect(failed).toBe(1);
  expect(hidden).toEqual([15]);
});

it('A message whose work failed for good is done with: the entry says what happened', async () => {
  const { log, failed } = await receive('{"user":"ann","number":1}', async () => {
    throw new DeployError('deploy:tar:corrupt', 'It is no gzip.');
  });
  expect(failed).toBe(0);
  expect((await log.read('ann', 1))?.error?.code).toBe('deploy:tar:corrupt');
});

it('A failure is traced with its causes, without the secrets in them', async () => {
  await receive('{"user":"ann","number":1}', async () => {
    const cause = new Error('GET https://ann:hunter2@host.example.com: 503');
    throw new DeployError('deploy:repohost:download_tarball', 'The host is away.', { cause });
  });
  expect(lines.join()).toContain('host.example.com: 503');
  expect(lines.join()).not.toContain('hunter2');
});

it('A message that is not a job returns to its queue, which moves it to the dead-letter queue', async () => {
  const never: StageWork = async () => {
    throw new Error('This stage must not be worked on.');
  };
  expect((await receive('{"user":1}', never)).failed).toBe(1);
  expect((await receive('garbage', never)).failed).toBe(1);
});

it('A run that takes too long fails with the code of its stage and is tried again; its signal is aborted', async () => {
  let signal: AbortSignal | undefined;
  const hangs: StageWork = (_, given) => {
    signal = given;
    return new Promise(() => {});
  };
  const { log, hidden, failed } = await receive('{"user":"ann","number":1}', hangs, 20);
  expect(failed).toBe(1);
  expect(hidden).toEqual([23]);
  expect(signal?.aborted).toBe(true);
  expect((await log.read('ann', 1))?.reason).toContain('was not done within 0.02 seconds. Tried since');
});

it.each(stages)('A run of $name leaves at least ten seconds of its function’s timeout', ({ name, timeoutSeconds }) => {
  expect(workLimitMs(name)).toBeLessThanOrEqual((timeoutSeconds - 10) * 1000);
});
