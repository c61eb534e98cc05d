import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { closedLoop } from './load.ts';
import { atRest } from './processor.ts';
import { pushes } from './pushes.ts';
import type { BenchRow } from './row.ts';
import { startService } from './service.ts';

const USERS = 20;
const DELIVERIES = 5_000;
const MOST_KB = 8;

/** Measures what 5 000 deliveries of 12 kB leave on the disk: the log, and everything else that the service keeps. */
export async function run(): Promise<readonly BenchRow[]> {
  const service = await startService('disk', USERS);
  try {
    const before = sizes(service.dataDir);
    await closedLoop(pushes(service, USERS), 16, DELIVERIES);
    await atRest(service.pid);
    const after = sizes(service.dataDir);
    const kb = (name: 'log' | 'rest') => (after[name] - before[name]) / DELIVERIES / 1000;
    return [
      {
        figure: `on disk for each of ${DELIVERIES} deliveries of 12 kB`,
        value: `${(kb('log') + kb('rest')).toFixed(1)} kB`,
        baseline: `log: ${kb('log').toFixed(1)} kB`,
        target: `≤ ${MOST_KB} kB`,
        reached: kb('log') + kb('rest') <= MOST_KB,
      },
    ];
  } finally {
    await service.close();
  }
}

function sizes(folder: string): { readonly log: number; readonly rest: number } {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  const found = { log: 0, rest: 0 };
  for (const file of files) {
    const stat = statSync(join(folder, file), { throwIfNoEntry: false });
    if (stat?.isFile()) found[file.startsWith('service.db') ? 'log' : 'rest'] += stat.size;
  }
  return found;
}
