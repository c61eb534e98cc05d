import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import type { Browser, Page } from '../../support/browser/api.ts';
import { startBrowser } from '../../support/browser/browser.ts';
import { signIn } from '../../support/browser/page-driver.ts';
import { githubPush } from '../../support/senders/github-push.ts';
import { type Aim, closedLoop } from '../load.ts';
import { type BenchRow, timeRow } from '../row.ts';
import { basic, type Service, startService } from '../service.ts';
import { quantile } from '../statistics.ts';
import { type Arrivals, arrivals } from './latency.ts';
import { type MainThread, mainThread } from './main-thread.ts';

/** What the page has read at first, and what it then shows. */
const FEW = 50;
const ROWS = 1000;
const CHANGES = 30;
const MAX_ON_SCREEN_MS = 200;
/** Of a screen that is drawn 60 times a second. */
const FRAME_MS = 16.7;
/** A tenth of a core for a page that only shows how time passes. */
const MAX_SECOND_MS = 100;

/** What was measured with a number of rows in the list; processor time is that of the page's main thread. */
interface Measured {
  readonly arrived: Arrivals;
  readonly changeMs: number;
  readonly frameMs: number;
  /** A second in which no change comes. */
  readonly secondMs: number;
}

/**
 * Measures the page in a Chromium: how long a row takes to be on the screen, beside a program that follows the stream
 * of changes, and what a change, a frame of scrolling and a second cost with a thousand rows, beside the first fifty.
 */
export async function run(): Promise<readonly BenchRow[]> {
  const service = await startService('page');
  const browser = await startBrowser();
  try {
    return await measure(browser, service);
  } finally {
    await browser.close();
    await service.close();
  }
}

async function measure(browser: Browser, service: Service): Promise<readonly BenchRow[]> {
  const { url, user, password } = service;
  await closedLoop((number) => skippedPush(service, `Change number ${number}`), 8, ROWS);
  const write = async (message: string) => {
    const { url: address, ...call } = skippedPush(service, message);
    await fetch(address, { method: 'POST', ...call });
  };
  const { page, context } = await signIn(browser, { base: url, login: `${user}:${password}` });
  await page.getByText('Live', { exact: true }).waitFor();
  const spent = await mainThread(context, page);
  const measured = async (): Promise<Measured> => {
    await youngRows(page);
    const before = await spent();
    const arrived = await arrivals({ page, service, write, changes: CHANGES });
    const changeMs = ((await spent()) - before) / CHANGES;
    await youngRows(page);
    const frameMs = await scrolling(page, spent);
    await youngRows(page);
    return { arrived, changeMs, frameMs, secondMs: await ticking(spent) };
  };
  const few = await measured();
  await showAll(page);
  const many = await measured();
  return [
    ...latencies(many.arrived),
    beside('main thread for a change', { many: many.changeMs, few: few.changeMs, mostMs: MAX_ON_SCREEN_MS }),
    beside('main thread for a frame of scrolling', { many: many.frameMs, few: few.frameMs, mostMs: FRAME_MS }),
    beside('main thread for a second', { many: many.secondMs, few: few.secondMs, mostMs: MAX_SECOND_MS }),
  ];
}

/** Reads page after page of the log, until all rows are in the list. */
async function showAll(page: Page): Promise<void> {
  const rows = page.locator('li.row');
  while ((await rows.count()) < ROWS) {
    const before = await rows.count();
    await page.getByRole('button', { name: 'Show older deploys' }).click();
    await rows.nth(before).waitFor({ state: 'attached', timeout: 120_000 });
  }
}

function latencies({ onScreen, streamed }: Arrivals): BenchRow[] {
  return [0.5, 0.95].map((share) => {
    const [own, base] = [quantile(onScreen, share), quantile(streamed, share)];
    const limit = { target: `≤ ${MAX_ON_SCREEN_MS} ms`, reached: own <= MAX_ON_SCREEN_MS };
    return timeRow(`row to the screen, of ${ROWS}, beside the stream, p${share * 100}`, { own, base, ...limit });
  });
}

interface Compared {
  readonly many: number;
  readonly few: number;
  readonly mostMs: number;
}

function beside(figure: string, { many, few, mostMs }: Compared): BenchRow {
  const limit = { target: `≤ ${mostMs} ms`, reached: many <= mostMs };
  return timeRow(`${figure}, ${ROWS} rows beside ${FEW}`, { own: many, base: few, ...limit });
}

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
async function youngRows(page: Page): Promise<void> {
  await page.locator('li.row').first().waitFor();
  await page.evaluate(SET_BACK);
}

/** Returns the milliseconds of processor time that the main thread takes for a second in which no change comes. */
async function ticking(spent: MainThread): Promise<number> {
  const before = await spent();
  await setTimeout(SECONDS * 1000);
  return ((await spent()) - before) / SECONDS;
}

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
async function scrolling(page: Page, spent: MainThread): Promise<number> {
  const before = await spent();
  await page.evaluate(`(${SCROLL})(${JSON.stringify([FRAMES, STEP_PX])})`);
  return ((await spent()) - before) / FRAMES;
}

/** Returns a push of a branch that is not deployed: its entry ends at once, with this message. */
function skippedPush({ url, user, password, repositories }: Service, message: string): ReturnType<Aim> {
  const sha = randomUUID().replaceAll('-', '').padEnd(40, '0');
  const body = {
    ...githubPush(repositories, { owner: user, name: 'bench', sha }, sha),
    ref: 'refs/heads/other',
    head_commit: { id: sha, message, author: { name: user } },
  };
  return {
    url: `${url}/1/deploy?branch=main`,
    headers: {
      authorization: basic(user, password),
      'content-type': 'application/json',
      'x-github-event': 'push',
      'x-github-delivery': randomUUID(),
    },
    body: JSON.stringify(body),
  };
}
