import type { SQSEvent, SQSRecord } from 'aws-lambda';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type QueueTrigger, queueTrigger } from '../../../../functions/triggers/queue.ts';

/** A message `<group>:<word>`; without a group it comes from a queue without order. */
function record(body: string, place: number, receives = 1): SQSRecord {
  const group = /^(\w+):/.exec(body)?.[1];
  return {
    messageId: `m${place}`,
    receiptHandle: `receipt of ${body}`,
    body,
    attributes: { ApproximateReceiveCount: String(receives), ...(group && { MessageGroupId: group }) },
  } as SQSRecord;
}

async function receive(bodies: readonly string[], work: QueueTrigger<string>['work'], receives = 1) {
  const hidden: [string, number][] = [];
  const worked: string[] = [];
  const handler = queueTrigger<string>({
    read: (body) => {
      if (body.endsWith('garbage')) throw new Error('The message is not a job.');
      return body;
    },
    work: async (message) => {
      worked.push(message);
      return work(message);
    },
    setVisibility: async (receipt, seconds) => void hidden.push([receipt, seconds]),
  });
  const event: SQSEvent = { Records: bodies.map((body, place) => record(body, place, receives)) };
  const { batchItemFailures } = await handler(event);
  return { hidden, worked, failed: batchItemFailures.map(({ itemIdentifier }) => itemIdentifier) };
}

const done = async () => null;

beforeEach(() => {
  vi.spyOn(console, 'error').mockImplementation(() => {});
});

afterEach(() => {
  vi.restoreAllMocks();
});

describe('a batch of messages', () => {
  it('is done when each of its messages is', async () => {
    expect(await receive(['a', 'b'], done)).toMatchObject({ worked: ['a', 'b'], failed: [] });
  });

  it('is not failed by one that cannot be read, or whose work throws', async () => {
    const { failed } = await receive(['garbage', 'boom', 'fine'], async (message) => {
      if (message === 'boom') throw new Error('boom');
      return null;
    });
    expect(failed).toEqual(['m0', 'm1']);
  });

  it('keeps the order of a group: behind a message that is not done with, the rest of its group waits', async () => {
    const { worked, failed } = await receive(['g:1', 'g:2', 'h:1', 'g:3'], async (message) =>
      message === 'g:2' ? { visibleInSeconds: null } : null,
    );
    expect(worked).not.toContain('g:3');
    expect(worked).toContain('h:1');
    expect(failed).toEqual(['m1', 'm3']);
  });
});

describe('a message that is not done with', () => {
  it('is seen again after the seconds that its work asked for', async () => {
    const { hidden, failed } = await receive(['a'], async () => ({ visibleInSeconds: 15 }));
    expect(hidden).toEqual([['receipt of a', 15]]);
    expect(failed).toEqual(['m0']);
  });

  it('may come again at once', async () => {
    expect((await receive(['a'], async () => ({ visibleInSeconds: 0 }))).hidden).toEqual([['receipt of a', 0]]);
  });

  it('is received again after the visibility timeout when the work returns no delay', async () => {
    expect((await receive(['a'], async () => ({ visibleInSeconds: null }))).hidden).toEqual([]);
  });

  it('comes again soon when its work throws or it cannot be read, and later each time', async () => {
    const boom = async () => Promise.reject(new Error('boom'));
    const { hidden, failed } = await receive(['g:a', 'h:garbage'], boom);
    expect(hidden.sort()).toEqual([
      ['receipt of g:a', 5],
      ['receipt of h:garbage', 5],
    ]);
    expect(failed).toEqual(['m0', 'm1']);
    const pauses = [1, 2, 3, 4, 5, 11].map(async (receives) => (await receive(['a'], boom, receives)).hidden[0]?.[1]);
    expect(await Promise.all(pauses)).toEqual([5, 10, 20, 40, 60, 60]);
  });

  it('comes again though its time cannot be set', async () => {
    const handler = queueTrigger<string>({
      read: (body) => body,
      work: async () => ({ visibleInSeconds: 15 }),
      setVisibility: async () => Promise.reject(new Error('The receipt has expired.')),
    });
    expect(await handler({ Records: [record('a', 0)] })).toEqual({ batchItemFailures: [{ itemIdentifier: 'm0' }] });
  });
});
