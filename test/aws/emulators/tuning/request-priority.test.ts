import { setTimeout as sleep } from 'node:timers/promises';
import { beforeEach, describe, expect, it } from 'vitest';
import { requestPriority } from '../../../aws-local/tuning/request-priority.ts';

const post = { httpMethod: 'POST', body: '{}' };
const message = { Records: [] };

let begun: string[] = [];
let ended: string[] = [];
let works: Record<string, (name: string) => Promise<unknown>> = {};
let invokers: ReturnType<typeof requestPriority>;

beforeEach(() => {
  begun = [];
  ended = [];
  works = {};
  invokers = requestPriority({
    invoke: async (name) => {
      begun.push(name);
      const result = await (works[name] ?? (async () => undefined))(name);
      ended.push(name);
      return result;
    },
  });
});

async function posts(count: number): Promise<void> {
  await Promise.all(Array.from({ length: count }, () => invokers.forRequests.invoke('post', post)));
  begun = [];
}

/** A function that the test ends. */
function held(name: string): () => void {
  let release = (): void => {};
  const until = new Promise<void>((resolve) => {
    release = resolve;
  });
  works[name] = () => until;
  return release;
}

describe('Request priority', () => {
  it('events run in parallel while requests come one by one', async () => {
    await posts(1);
    const release = held('one');
    const one = invokers.forEvents.invoke('one', message);
    await invokers.forEvents.invoke('two', message);
    expect([begun, ended]).toEqual([
      ['one', 'two'],
      ['post', 'two'],
    ]);
    release();
    await one;
  });

  it('events run one after the other under a load of requests that write', async () => {
    works.one = () => sleep(20);
    await posts(5);
    await Promise.all([invokers.forEvents.invoke('one', message), invokers.forEvents.invoke('two', message)]);
    expect(ended.indexOf('one')).toBeLessThan(ended.indexOf('two'));
    expect(begun).toEqual(['one', 'two']);
  });

  it('a request is not delayed by an event that runs or waits', async () => {
    const release = held('one');
    await posts(5);
    const events = [invokers.forEvents.invoke('one', message), invokers.forEvents.invoke('two', message)];
    await invokers.forRequests.invoke('post', post);
    expect(begun).toContain('post');
    expect(begun).not.toContain('two');
    release();
    await Promise.all(events);
  });

  it('an event that takes long does not delay the next one', async () => {
    const release = held('one');
    await posts(5);
    const one = invokers.forEvents.invoke('one', message);
    await invokers.forEvents.invoke('two', message);
    expect(ended).not.toContain('one');
    release();
    await one;
  });

  it('an event that fails rejects its own call, and the next one runs', async () => {
    works.one = () => Promise.reject(new Error('one is broken'));
    await posts(5);
    const one = invokers.forEvents.invoke('one', message);
    const two = invokers.forEvents.invoke('two', message);
    await expect(one).rejects.toThrow('one is broken');
    await two;
  });

  it('requests that read and events of queues are no load', async () => {
    await Promise.all(
      Array.from({ length: 5 }, () => invokers.forRequests.invoke('read', { httpMethod: 'GET', body: null })),
    );
    const release = held('one');
    const one = invokers.forEvents.invoke('one', message);
    await invokers.forEvents.invoke('two', message);
    release();
    await one;
    expect(ended.indexOf('two')).toBeLessThan(ended.indexOf('one'));
  });
});
