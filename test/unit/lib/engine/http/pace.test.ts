import { setImmediate } from 'node:timers/promises';
import { afterEach, expect, it, vi } from 'vitest';
import { Pace } from '../../../../../lib/engine/http/pace.ts';

afterEach(() => void vi.restoreAllMocks());

/** Requests that ask for their turn, and the numbers of those whose work has begun. */
function asking(pace: Pace, count: number): readonly number[] {
  const begun: number[] = [];
  for (let number = 1; number <= count; number += 1) void pace.turn().then(() => begun.push(number));
  return begun;
}

it('begins a lone request in the same turn of the event loop', async () => {
  const begun = asking(new Pace(), 1);
  await setImmediate();
  expect(begun).toEqual([1]);
});

it('begins a few of many requests in each turn, in their order', async () => {
  const begun = asking(new Pace(), 40);
  const counts: number[] = [];
  while (begun.length < 40) {
    await setImmediate();
    counts.push(begun.length);
  }
  expect(counts).toEqual([16, 32, 40]);
  expect(begun).toEqual([...begun].sort((one, other) => one - other));
});

it('lets the clients in that connect at once, before it begins a request', async () => {
  const now = vi.spyOn(performance, 'now').mockReturnValue(0);
  const pace = new Pace();
  const begun = asking(pace, 1);
  for (let client = 0; client < 50; client += 1) {
    pace.connected();
    await setImmediate();
  }
  expect(begun).toEqual([]);
  await setImmediate();
  expect(begun).toEqual([1]);
  expect(now).toHaveBeenCalled();
});

it('begins requests after 20 ms although clients go on to connect', async () => {
  const now = vi.spyOn(performance, 'now').mockReturnValue(0);
  const pace = new Pace();
  const begun = asking(pace, 1);
  pace.connected();
  await setImmediate();
  now.mockReturnValue(19.9);
  pace.connected();
  await setImmediate();
  expect(begun).toEqual([]);
  now.mockReturnValue(20);
  pace.connected();
  await setImmediate();
  expect(begun).toEqual([1]);
});
