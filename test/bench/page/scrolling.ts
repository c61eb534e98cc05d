import type { Page } from '../../support/browser/api.ts';
import type { MainThread } from './main-thread.ts';

const FRAMES = 300;
/** So many pixels a frame: a fast flick of a wheel. */
const STEP_PX = 120;

/** Runs in the page: scrolls down, and up again from the end, a step in each frame. */
const SCROLL = `async ([frames, step]) => {
  const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
  window.scrollTo(0, 0);
  await frame();
  for (let at = 0, by = step, drawn = 0; drawn < frames; drawn += 1, at += by) {
    if (at + by < 0 || at + by > document.documentElement.scrollHeight - window.innerHeight) by = -by;
    window.scrollTo(0, at);
    await frame();
  }
}`;

/** Returns the milliseconds of processor time that the main thread takes for a frame of scrolling. */
export async function scrolling(page: Page, spent: MainThread): Promise<number> {
  const before = await spent();
  await page.evaluate(`(${SCROLL})(${JSON.stringify([FRAMES, STEP_PX])})`);
  return ((await spent()) - before) / FRAMES;
}
