import { get } from 'node:http';

const MOST_OPEN = 50;

/** Asks an address every 5 ms, each time on a new connection. */
export function asking(url: string, headers: Readonly<Record<string, string>> = {}) {
  const failed: unknown[] = [];
  const open = new Set<Promise<void>>();
  let count = 0;
  const timer = setInterval(() => {
    // A machine that is busy with other tests answers later than that.
    if (open.size >= MOST_OPEN) return;
    count += 1;
    const one = new Promise<void>((resolve) => {
      get(url, { agent: false, headers }, (answer) => {
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
    end: async () => {
      clearInterval(timer);
      await Promise.all(open);
      return { failed, count };
    },
  };
}
