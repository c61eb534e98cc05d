import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { reportTrigger } from '../../../../functions/triggers/queue.ts';
import { sqsEvent } from '../../../support/events/aws-events.ts';

beforeEach(() => {
  vi.spyOn(console, 'error').mockImplementation(() => {});
});

afterEach(() => {
  vi.restoreAllMocks();
});

it('A host that hangs repeats its own commit status, not those of the others in the batch', async () => {
  const set: number[] = [];
  const handler = reportTrigger(async ({ number }) => {
    if (number === 1) await new Promise(() => {});
    set.push(number);
  }, 20);
  const messages = [1, 2].map((number) => ({ messageId: `m${number}`, body: JSON.stringify({ user: 'ann', number }) }));
  const { batchItemFailures } = await handler(sqsEvent(...messages));
  expect(batchItemFailures).toEqual([{ itemIdentifier: 'm1' }]);
  expect(set).toEqual([2]);
});
