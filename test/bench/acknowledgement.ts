import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { freePort } from '../../lib/http/ports.ts';
import { type Aim, closedLoop, type Shot } from './load.ts';
import { atRest } from './processor.ts';
import { pushes, SHAPES } from './pushes.ts';
import { medians } from './rounds.ts';
import type { BenchRow } from './row.ts';
import { emptyFolder, startService } from './service.ts';
import { milliseconds, quantile, ratioOf } from './statistics.ts';

const SHOTS: Readonly<Record<number, number>> = { 1: 400, 16: 1000, 64: 1500 };
const USERS = Math.max(...SHAPES.map(({ repositories }) => repositories));
const LEAST_OF_PEER = 0.6;
const MOST_P99_AT_64_MS = 100;

/**
 * Measures how many pushes of 12 kB are acknowledged in a second, stored and synced before the answer, in turn with
 * adnanh/webhook, which stores nothing.
 */
export async function run(): Promise<readonly BenchRow[]> {
  const folder = emptyFolder('acknowledgement');
  const service = await startService('acknowledgement-service', USERS);
  const peer = await startWebhook(folder);
  try {
    await closedLoop(pushes(service, USERS), 8, USERS * 20);
    const rows: BenchRow[] = [];
    for (const { repositories, name } of SHAPES) {
      const own = pushes(service, repositories);
      const base = pushes(service, repositories, peer.url);
      for (const inFlight of Object.keys(SHOTS).map(Number)) {
        const found = await medians(async () => {
          await atRest(service.pid);
          const baseline = await loop(base, inFlight);
          // The commands of adnanh/webhook run on after its answers.
          await atRest(peer.pid);
          const { perSecond, p50, p99 } = await loop(own, inFlight);
          return { perSecond, p50, p99, base: baseline.perSecond, base50: baseline.p50, base99: baseline.p99 };
        });
        rows.push(...rowsOf(name, inFlight, found));
      }
    }
    return rows;
  } finally {
    await peer.close();
    await service.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function loop(aim: Aim, inFlight: number) {
  const shots = SHOTS[inFlight] ?? 0;
  const begin = performance.now();
  const seen = await closedLoop(aim, inFlight, shots);
  const seconds = (performance.now() - begin) / 1000;
  if (seen.some(({ status }) => status >= 300)) throw new Error('A push was not accepted.');
  const times = seen.map(({ ms }: Shot) => ms);
  return { perSecond: shots / seconds, p50: quantile(times, 0.5), p99: quantile(times, 0.99) };
}

type Figures = Readonly<Record<'perSecond' | 'p50' | 'p99' | 'base' | 'base50' | 'base99', number>>;

function rowsOf(shape: string, inFlight: number, found: Figures): BenchRow[] {
  const ratio = ratioOf(found.perSecond, found.base);
  const is64 = inFlight === 64;
  return [
    {
      figure: `pushes of ${shape} acknowledged a second, ${inFlight} in flight`,
      value: String(Math.round(found.perSecond)),
      baseline: `webhook: ${Math.round(found.base)}`,
      ratio,
      target: `≥ ${LEAST_OF_PEER} × it`,
      reached: ratio >= LEAST_OF_PEER,
    },
    {
      figure: `… p50 / p99 of the answer`,
      value: `${milliseconds(found.p50)} / ${milliseconds(found.p99)}`,
      baseline: `${milliseconds(found.base50)} / ${milliseconds(found.base99)}`,
      target: is64 ? `p99 < ${MOST_P99_AT_64_MS} ms` : 'for information',
      reached: !is64 || found.p99 < MOST_P99_AT_64_MS,
    },
  ];
}

/** A server that takes webhooks, in a process of its own. */
interface Peer {
  readonly url: string;
  readonly pid: number;
  close(): Promise<void>;
}

/**
 * Starts adnanh/webhook (`apt-get install webhook`) with one hook, which looks at the branch and runs `true`. It stores
 * nothing, asks for no login and answers before the command has run.
 */
async function startWebhook(folder: string): Promise<Peer> {
  const hooks = join(folder, 'hooks.json');
  const parameter = { source: 'payload', name: 'ref' };
  const rule = { match: { type: 'value', value: 'refs/heads/main', parameter } };
  writeFileSync(hooks, JSON.stringify([{ id: 'push', 'execute-command': '/bin/true', 'trigger-rule': rule }]));
  const port = await freePort();
  const args = ['-hooks', hooks, '-ip', '127.0.0.1', '-port', String(port)];
  const server = spawn('webhook', args, { stdio: 'ignore' });
  const exit = once(server, 'exit');
  const url = `http://127.0.0.1:${port}`;
  while (!(await fetch(url).catch(() => null))) await setTimeout(20);
  return {
    url: `${url}/hooks/push`,
    pid: server.pid ?? 0,
    close: async () => {
      server.kill();
      await exit;
    },
  };
}
