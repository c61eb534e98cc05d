import { setTimeout } from 'node:timers/promises';
import type { Page } from '../../support/browser/api.ts';
import type { MainThread } from './main-thread.ts';

const SECONDS = 4;

/** Runs in the page: sets its clock back to a few seconds after its newest row. */
const SET_BACK = `{
  const real = Date.now;
  const times = [...document.querySelectorAll('li.row time')].map(({ dateTime }) => Date.parse(dateTime));
  const late = real() - Math.max(...times) - 6000;
  Date.now = () => real() - late;
}`;

/**
 * Brings all rows into their first minute, in which the text of each changes every second: the worst that the clock can
 * do to a list, however long it took to read the rows.
 */
export async function youngRows(page: Page): Promise<void> {
  await page.locator('li.row').first().waitFor();
  await page.evaluate(SET_BACK);
}

/** Returns the milliseconds of processor time that the main thread takes for a second in which no change comes. */
export async function ticking(spent: MainThread): Promise<number> {
  const before = await spent();
  await setTimeout(SECONDS * 1000);
  return ((await spent()) - before) / SECONDS;
}
