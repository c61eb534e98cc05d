import { setTimeout as sleep } from 'node:timers/promises';
import { beforeEach, describe, expect, it } from 'vitest';
import { rightOfWay } from '../../../../../lib/aws-local/tuning/request-priority.ts';

const hook = { httpMethod: 'POST', body: '{}' };
const message = { Records: [] };

let begun: string[] = [];
let ended: string[] = [];
let works: Record<string, (name: string) => Promise<unknown>> = {};
let ways: ReturnType<typeof rightOfWay>;

beforeEach(() => {
  begun = [];
  ended = [];
  works = {};
  ways = rightOfWay({
    invoke: async (name) => {
      begun.push(name);
      const result = await (works[name] ?? (async () => undefined))(name);
      ended.push(name);
      return result;
    },
  });
});

async function hooks(count: number): Promise<void> {
  await Promise.all(Array.from({ length: count }, () => ways.forRequests.invoke('hook', hook)));
  begun = [];
}

/** A function that ends when it is told to. */
function held(name: string): () => void {
  let release = (): void => {};
  const until = new Promise<void>((resolve) => {
    release = resolve;
  });
  works[name] = () => until;
  return release;
}

describe('The right of way', () => {
  it('lets events go beside each other when hooks come one by one', async () => {
    await hooks(1);
    const release = held('one');
    const one = ways.forEvents.invoke('one', message);
    await ways.forEvents.invoke('two', message);
    expect([begun, ended]).toEqual([
      ['one', 'two'],
      ['hook', 'two'],
    ]);
    release();
    await one;
  });

  it('lets events go one after the other while hooks come in a rush', async () => {
    works.one = () => sleep(20);
    await hooks(5);
    await Promise.all([ways.forEvents.invoke('one', message), ways.forEvents.invoke('two', message)]);
    expect(ended.indexOf('one')).toBeLessThan(ended.indexOf('two'));
    expect(begun).toEqual(['one', 'two']);
  });

  it('lets hooks pass while an event is at work or waits', async () => {
    const release = held('one');
    await hooks(5);
    const events = [ways.forEvents.invoke('one', message), ways.forEvents.invoke('two', message)];
    await ways.forRequests.invoke('hook', hook);
    expect(begun).toContain('hook');
    expect(begun).not.toContain('two');
    release();
    await Promise.all(events);
  });

  it('does not let work that takes long hold up the next', async () => {
    const release = held('one');
    await hooks(5);
    const one = ways.forEvents.invoke('one', message);
    await ways.forEvents.invoke('two', message);
    expect(ended).not.toContain('one');
    release();
    await one;
  });

  it('tells of a failure where it happened, and goes on', async () => {
    works.one = () => Promise.reject(new Error('one is broken'));
    await hooks(5);
    const one = ways.forEvents.invoke('one', message);
    const two = ways.forEvents.invoke('two', message);
    await expect(one).rejects.toThrow('one is broken');
    await two;
  });

  it('counts nothing but hooks: who reads or is called by a queue makes no rush', async () => {
    await Promise.all(
      Array.from({ length: 5 }, () => ways.forRequests.invoke('read', { httpMethod: 'GET', body: null })),
    );
    const release = held('one');
    const one = ways.forEvents.invoke('one', message);
    await ways.forEvents.invoke('two', message);
    release();
    await one;
    expect(ended.indexOf('two')).toBeLessThan(ended.indexOf('one'));
  });
});
