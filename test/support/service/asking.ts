import { request as overHttp, type RequestOptions } from 'node:http';
import { request as overHttps } from 'node:https';
import { setTimeout } from 'node:timers/promises';

const MOST_OPEN = 50;

interface Asking extends RequestOptions {
  readonly ca?: string;
  readonly body?: string;
}

/** Asks an address every 5 ms, each time on a new connection; each answer must be 200. */
export function asking(url: string, { body, ...options }: Asking = {}) {
  const send = url.startsWith('https:') ? overHttps : overHttp;
  const failed: unknown[] = [];
  const open = new Set<Promise<void>>();
  let count = 0;
  const timer = setInterval(() => {
    // A machine that is busy with other tests answers later than that.
    if (open.size >= MOST_OPEN) return;
    count += 1;
    const one = new Promise<void>((resolve) => {
      const sent = send(url, { ...options, agent: false }, (answer) => {
        if (answer.statusCode !== 200) failed.push(answer.statusCode);
        answer.resume().once('close', resolve);
      });
      sent.once('error', (error) => {
        failed.push(error.message);
        resolve();
      });
      sent.end(body);
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
