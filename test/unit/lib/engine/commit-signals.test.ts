import { expect, it } from 'vitest';
import type { Change } from '../../../../functions/core/ports/log.ts';
import { commitSignals } from '../../../../lib/engine/commit-signals.ts';

const change = (user: string, seq: number) => ({ user, seq }) as Change;

it('a subscriber is told of the changes of its user by each commit, after it was told to read the log', async () => {
  const signals = commitSignals();
  const said: unknown[] = [];
  signals.subscribe('ann', (last, changes) => said.push([last, changes?.map(({ seq }) => seq)]));
  await Promise.resolve();
  signals.committed([change('bob', 7), change('ann', 1), change('ann', 2)]);
  signals.committed([change('bob', 8)]);
  expect(said).toEqual([
    [null, undefined],
    [2, [1, 2]],
  ]);
});

it('a subscriber is told nothing after it was closed, however soon', async () => {
  const signals = commitSignals();
  const said: unknown[] = [];
  const subscription = signals.subscribe('ann', (last) => said.push(last));
  subscription.close();
  subscription.close();
  await Promise.resolve();
  signals.committed([change('ann', 1)]);
  expect(said).toEqual([]);
});
