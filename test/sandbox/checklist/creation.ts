import { type Item, within } from './item.ts';

const MINUTE_MS = 60_000;
/** Minutes. */
const MOST = 15;

export const creation: Item = {
  title: 'The stack is created in time',
  expected: `within ${MOST} minutes`,
  answer: async ({ begun, created }) => inTime(created - begun),
};

/** Asked by `--deploy` at its end, when there is nothing left that a test could ask. */
export const deletion = {
  title: 'The stack is deleted in time, by `--deploy`',
  expected: `within ${MOST} minutes`,
  answer: inTime,
};

function inTime(ms: number): string {
  const minutes = ms / MINUTE_MS;
  return within(minutes, [0, MOST], `in ${minutes.toFixed(1)} minutes`);
}
