import { get as getHttp, type RequestOptions } from 'node:http';
import { get as getHttps } from 'node:https';
import { setTimeout } from 'node:timers/promises';

const MOST_OPEN = 50;

/** Asks an address every 5 ms, each time on a new connection. */
export function asking(url: string, options: RequestOptions & { readonly ca?: string } = {}) {
  const get = url.startsWith('https:') ? getHttps : getHttp;
  const failed: unknown[] = [];
  const open = new Set<Promise<void>>();
  let count = 0;
  const timer = setInterval(() => {
    // A machine that is busy with other tests answers later than that.
    if (open.size >= MOST_OPEN) return;
    count += 1;
    const one = new Promise<void>((resolve) => {
      get(url, { ...options, agent: false }, (answer) => {
        if (answer.statusCode !== 200) failed.push(answer.statusCode);
        answer.resume().once('close', resolve);
      }).once('error', (error) => {
        failed.push(error.message);
        resolve();
      });
    });
    open.add(one);
    void one.then(() => open.delete(one));
  }, 5);
  return {
    /** Resolves when each has been answered, and there was one at least. */
    end: async () => {
      while (count === 0) await setTimeout(5);
      clearInterval(timer);
      await Promise.all(open);
      return { failed, count };
    },
  };
}
