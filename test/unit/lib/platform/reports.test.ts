import { expect, it } from 'vitest';
import { followReports } from '../../../../lib/platform/desired/reports.ts';
import type { NumberedEvent } from '../../../../lib/runner/calls.ts';

it('a release that ends before its start is recorded has not been live when it is', async () => {
  const id = { user: 'ada', app: 'shop' };
  const events: NumberedEvent[] = [
    { id: { of: 'one', seq: 1 }, event: { ...id, type: 'app.returned', snapshot: '2', serves: '1' } },
  ];
  const app = { active: '1' };
  let recorded = () => {};
  const start = new Promise<void>((resolve) => {
    recorded = resolve;
  });
  const closed = new AbortController();
  const added: unknown[] = [];
  const following = followReports(
    { events: async () => events.splice(0) },
    {
      apps: {
        find: async () => undefined,
        change: async (_: unknown, change: unknown) =>
          Object.assign(app, typeof change === 'function' ? change(app) : change),
      },
      events: { add: async (event: unknown) => added.push(event) > 0 } as never,
      log: () => closed.abort(),
      onRetired: () => {},
      recorded: () => start,
    } as never,
    closed.signal,
  );
  // The answer of the start comes later than the event.
  await new Promise((resolve) => setImmediate(resolve));
  app.active = '2';
  recorded();
  await following;

  expect(app.active).toBe('1');
  expect(added).toMatchObject([{ snapshot: '2', serves: '1', state: 'crashed' }]);
});
