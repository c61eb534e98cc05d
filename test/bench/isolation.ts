import { readFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { descendants } from '../support/service/processes.ts';
import { atRest } from './processor.ts';
import { medians, ROUNDS } from './rounds.ts';
import { type BenchRow, plainRow, timeRow } from './row.ts';
import { basic, type Service, startService } from './service.ts';
import { firstPush, type Pushed } from './serving/first-push.ts';
import { pushed } from './serving/serving.ts';
import { plain } from './serving/versions.ts';
import { milliseconds } from './statistics.ts';

const POLL_MS = 2;
/** Of a start, of memory for each application, and of a push. */
const MORE_MS = 15;
const MORE_MB = 3;
const MORE = 1.05;
/** Applications of which the memory is measured. */
const APPS = 5;

/** Measures what isolation costs: two services at once, of which one does without, in turn. */
export async function run(): Promise<readonly BenchRow[]> {
  const services = [await startService('isolated'), await startService('not-isolated', 0, { isolation: 'off' })];
  try {
    const [own, base] = await Promise.all(services.map(deployed));
    if (!own || !base) throw new Error('There is no service.');
    const pushes = await medians(
      async (round) => ({ own: await live(own, round), base: await live(base, round) }),
      ROUNDS + 2,
    );
    const starts = await medians(async () => ({ own: await restarted(own), base: await restarted(base) }), ROUNDS + 6);
    const megabytes = { own: megabytesOf(own), base: megabytesOf(base) };
    const later = starts.own - starts.base;
    const more = megabytes.own - megabytes.base;
    return [
      timeRow('restart until the answer, isolated', {
        ...{ ...starts, name: 'not', target: `≤ ${MORE_MS} ms later` },
        reached: later <= MORE_MS,
      }),
      plainRow('… later', milliseconds(later)),
      timeRow('git push to the new version, isolated', {
        ...{ ...pushes, name: 'not', target: `≤ ${MORE}` },
        reached: pushes.own <= MORE * pushes.base,
      }),
      plainRow('memory of each, more than not isolated', `${more.toFixed(1)} MB`, {
        ...{ most: `${MORE_MB} MB`, reached: more <= MORE_MB },
      }),
    ];
  } finally {
    for (const service of services) await service.close();
  }
}

interface Deployed {
  readonly service: Service;
  readonly app: Pushed;
}

async function deployed(service: Service): Promise<Deployed> {
  const app = await firstPush(service, 'app-0', plain('first', 'app-0'));
  for (let number = 1; number < APPS; number += 1) {
    const { tree } = await firstPush(service, `app-${number}`, plain('first', `app-${number}`));
    tree.remove();
  }
  return { service, app };
}

async function live({ service, app }: Deployed, round: number): Promise<number> {
  await atRest(service.pid);
  return pushed(app, plain(`version ${round}`, 'app-0'));
}

/** Ends an application and starts it again, and returns the milliseconds from the call that starts it to its answer. */
async function restarted({ service, app: { url } }: Deployed): Promise<number> {
  await atRest(service.pid);
  await call(service, 'stop');
  await atRest(service.pid);
  const begin = performance.now();
  await call(service, 'restart');
  while (!(await fetch(url).catch(() => null))?.ok) await setTimeout(POLL_MS);
  return performance.now() - begin;
}

async function call({ url, user, password }: Service, operation: string): Promise<void> {
  const headers = { authorization: basic(user, password), prefer: 'wait=20' };
  const answer = await fetch(`${url}/1/apps/${user}/app-0/${operation}`, { method: 'POST', headers });
  if (!answer.ok) throw new Error(`${operation}: ${answer.status} ${await answer.text()}`);
}

/** Returns the memory of an application with all that its isolation runs; what processes share is divided between them. */
function megabytesOf({ service }: Deployed): number {
  const ofApps = descendants(service.pid).filter(({ command }) => /bwrap|node server\.js|npm start/.test(command));
  return ofApps.reduce((sum, { pid }) => sum + proportional(pid), 0) / APPS;
}

/** https://docs.kernel.org/filesystems/proc.html */
function proportional(pid: number): number {
  const text = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8');
  return Number(/^Pss:\s+(\d+)/m.exec(text)?.[1]) / 1024;
}
