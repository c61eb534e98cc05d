import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { project } from '../../support/service/place.ts';
import type { Seen, ToWatchers } from './watchers.ts';

/** Watchers in a separate process. */
export interface Crowd {
  /** Returns what each watcher has received so far. */
  seen(): Promise<Seen>;
  close(): Promise<void>;
}

/** Starts watchers of a feed; resolves when the feed has responded to each of them. */
export async function openCrowd(port: number, request: string, crowd: number): Promise<Crowd> {
  const child = fork(join(project, 'test/bench/changes/watchers.ts'), [], { execArgv: ['--import', 'tsx'] });
  const ended = once(child, 'exit').then(([code]) => {
    throw new Error(`The watchers ended with ${code}.`);
  });
  ended.catch(() => {});
  const ask = async (message: ToWatchers): Promise<unknown> => {
    const answered = once(child, 'message');
    child.send(message);
    const [answer] = await Promise.race([answered, ended]);
    return answer;
  };
  await ask({ open: { port, request, crowd } });
  return {
    seen: async () => (await ask('collect')) as Seen,
    close: async () => {
      child.disconnect();
      await ended.catch(() => {});
    },
  };
}
