import { expect, it } from 'vitest';
import { scheduleTrigger } from '../../../../functions/triggers/operator.ts';

const handler = scheduleTrigger(async (everything) => everything);

it.each<[Parameters<typeof handler>[0], boolean]>([
  [undefined, false],
  [{}, false],
  [{ everything: false }, false],
  [{ everything: true }, true],
])('The work of %j is all that there is: %j, else what is due', async (event, everything) => {
  expect(await handler(event)).toBe(everything);
});
