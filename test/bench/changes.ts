import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { Agent, get, request } from 'node:http';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { testFolder } from '../local/place.ts';
import { startChild } from './child.ts';
import type { BenchRow } from './row.ts';
import { milliseconds, quantile } from './statistics.ts';

const CHANGES = 100;
const PAUSE_MS = 20;
const CROWDS = [1, 50, 500];

interface Service {
  readonly url: string;
  readonly user: string;
  readonly password: string;
  readonly pid: number;
}

/** When each row came, by its seq; a row that came twice is in it twice. */
type Arrivals = { readonly seq: number; readonly at: number }[];

/**
 * From the call of a hook to its row at the last of many watchers of one user, beside the hook's own answer, which comes
 * when the change is committed.
 */
export async function run(): Promise<readonly BenchRow[]> {
  const folder = join(testFolder, 'bench-changes');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const service = await startChild<Service>('service.ts', [join(folder, 'data')]);
  try {
    await hook(service.ready);
    const rows: BenchRow[] = [];
    for (const crowd of CROWDS) rows.push(...(await measure(service.ready, crowd)));
    return rows;
  } finally {
    await service.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function measure(service: Service, crowd: number): Promise<BenchRow[]> {
  const before = residentMb(service.pid);
  const watchers = await Promise.all(Array.from({ length: crowd }, () => watch(service)));
  await setTimeout(1_000);
  const each = (residentMb(service.pid) - before) / crowd;
  const called: { readonly at: number; readonly answered: number }[] = [];
  const first = (await last(service)) + 1;
  for (let change = 0; change < CHANGES; change += 1) {
    const at = performance.now();
    await hook(service);
    called.push({ at, answered: performance.now() - at });
    await setTimeout(PAUSE_MS);
  }
  await setTimeout(2_000);
  for (const watcher of watchers) watcher.close();
  const wrong = watchers.filter(({ arrivals }) => !isExact(arrivals, first)).length;
  const waits = called.map(({ at }, place) => lastArrival(watchers, first + place) - at);
  return [
    ...[0.5, 0.99].map((share) => latency(crowd, share, waits, called)),
    {
      figure: `watchers of ${crowd} that lost or doubled a row`,
      value: String(wrong),
      baseline: '0',
      target: 'none',
      reached: wrong === 0,
    },
    ...(crowd === 1 ? [] : [memory(crowd, each)]),
  ];
}

function latency(
  crowd: number,
  share: number,
  waits: readonly number[],
  called: readonly { readonly answered: number }[],
): BenchRow {
  const wait = quantile(waits, share);
  const answered = quantile(
    called.map((call) => call.answered),
    share,
  );
  return {
    figure: `hook to its row at the last of ${crowd}, p${share * 100}`,
    value: milliseconds(wait),
    baseline: milliseconds(answered),
    target: '≤ 500 ms behind the answer',
    reached: wait <= answered + 500,
  };
}

function memory(crowd: number, each: number): BenchRow {
  return {
    figure: `memory of the service for each of ${crowd} watchers`,
    value: `${Math.max(0, each).toFixed(2)} MB`,
    baseline: '–',
    target: '≤ 1 MB',
    reached: each <= 1,
  };
}

function lastArrival(watchers: readonly { readonly arrivals: Arrivals }[], seq: number): number {
  const arrivals = watchers.map((watcher) => watcher.arrivals.find((one) => one.seq === seq)?.at);
  return Math.max(...arrivals.map((at) => at ?? Number.POSITIVE_INFINITY));
}

function isExact(arrivals: Arrivals, first: number): boolean {
  return arrivals.length === CHANGES && arrivals.every(({ seq }, place) => seq === first + place);
}

/** A watcher, from the moment its stream has begun. */
function watch({ url, user, password }: Service): Promise<{ readonly arrivals: Arrivals; close(): void }> {
  return new Promise((resolve, reject) => {
    const arrivals: Arrivals = [];
    const asked = get(`${url}/1/status/${user}/changes`, { auth: `${user}:${password}`, agent: false });
    asked.once('error', reject);
    asked.once('response', (answer) => {
      let rest = '';
      answer.setEncoding('utf8');
      answer.on('error', () => {});
      answer.on('data', (text: string) => {
        const at = performance.now();
        const lines = (rest + text).split('\n');
        rest = lines.pop() ?? '';
        for (const line of lines) if (line !== '') arrivals.push({ seq: JSON.parse(line).seq, at });
        resolve({ arrivals, close: () => asked.destroy() });
      });
    });
  });
}

const agent = new Agent({ keepAlive: true });

/** A ping: the smallest thing that makes a change. */
function hook({ url, user, password }: Service): Promise<void> {
  return new Promise((resolve, reject) => {
    const headers = { 'x-github-event': 'ping', 'content-type': 'application/json' };
    const asked = request(`${url}/1/deploy`, { method: 'POST', auth: `${user}:${password}`, agent, headers });
    asked.once('error', reject);
    asked.once('response', (answer) => answer.resume().once('end', resolve));
    asked.end(JSON.stringify({ zen: 'Keep it logically awesome.', hook: { events: ['push'] } }));
  });
}

async function last({ url, user, password }: Service): Promise<number> {
  const authorization = `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
  const answer = await fetch(`${url}/1/status/${user}/changes?feed=normal`, { headers: { authorization } });
  const { last_seq }: { last_seq: number } = JSON.parse(await answer.text());
  return last_seq;
}

/** Linux only; elsewhere the figure is no number, and says so. */
function residentMb(pid: number): number {
  try {
    return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;
  } catch {
    return Number.NaN;
  }
}
