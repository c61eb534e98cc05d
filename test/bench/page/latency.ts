import { get } from 'node:http';
import { createInterface } from 'node:readline';
import { setTimeout } from 'node:timers/promises';
import type { Page } from '../../support/browser/api.ts';
import type { Service } from '../service.ts';

/** How long each row took, in milliseconds since it was committed. */
export interface Arrivals {
  readonly onScreen: readonly number[];
  /** To a program that follows the stream of changes. */
  readonly streamed: readonly number[];
}

interface Measured {
  readonly page: Page;
  readonly service: Service;
  /** Writes a row with this message, and resolves when it is committed. */
  readonly write: (message: string) => Promise<void>;
  readonly changes: number;
}

/** Between two changes, so that each is seen by itself. */
const PAUSE_MS = 250;
/** The first one finds caches empty. */
const WARM_UP = 1;

/** Runs in the page: resolves when the first row has this message and was painted, with the time. */
const ON_SCREEN = `(message) => new Promise((resolve) => {
  const look = () => {
    if (!document.querySelector('li.row')?.textContent.includes(message)) return;
    observer.disconnect();
    requestAnimationFrame(() => setTimeout(() => resolve(performance.timeOrigin + performance.now())));
  };
  const observer = new MutationObserver(look);
  observer.observe(document.body, { childList: true, characterData: true, subtree: true });
  look();
})`;

/** Writes rows one by one, and returns how long each took to be painted and to reach a program. */
export async function arrivals({ page, service, write, changes }: Measured): Promise<Arrivals> {
  const stream = await follow(service);
  const found = { onScreen: [] as number[], streamed: [] as number[] };
  for (let number = 1; number <= WARM_UP + changes; number += 1) {
    const message = `Measured change ${number}.`;
    const painted = page.evaluate<number>(`(${ON_SCREEN})(${JSON.stringify(message)})`);
    const read = stream.until(message);
    await write(message);
    const committed = now();
    const [screen, program] = await Promise.all([painted, read]);
    if (number > WARM_UP) {
      found.onScreen.push(screen - committed);
      found.streamed.push(program - committed);
    }
    await setTimeout(PAUSE_MS);
  }
  stream.close();
  return found;
}

async function follow({ url, user, password }: Service) {
  const path = `/1/status/${user}/changes?since=now&include_docs=true`;
  const waiting = new Map<string, (at: number) => void>();
  const request = get(`${url}${path}`, { auth: `${user}:${password}` });
  request.once('error', () => {});
  await new Promise<void>((resolve) => {
    request.once('response', (response) => {
      const lines = createInterface(response);
      lines.on('line', (line) => {
        for (const [message, seen] of waiting) if (line.includes(message)) seen(now());
      });
      lines.once('error', () => {});
      resolve();
    });
  });
  return {
    until: (message: string) => new Promise<number>((resolve) => waiting.set(message, resolve)),
    close: () => request.destroy(),
  };
}

/** Milliseconds since 1970 with fractions, as the page counts them. */
function now(): number {
  return performance.timeOrigin + performance.now();
}
