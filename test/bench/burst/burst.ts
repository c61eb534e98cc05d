import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import * as v from 'valibot';
import { bodyOf } from '../../support/body-of.ts';
import { application, gitFolder } from '../../support/service/git-folder.ts';
import { testFolder } from '../../support/service/place.ts';
import { startChild } from '../child.ts';
import { type Aim, isTaken, persistentLoop, refusals, type Shot } from '../load.ts';
import type { BenchRow } from '../row.ts';
import { milliseconds, quantile, ratioOf } from '../statistics.ts';

const DELIVERIES = Number(process.env.DELIVERIES ?? 2000);
const IN_FLIGHT = (process.env.IN_FLIGHT ?? '64,256').split(',').map(Number);
/** With it, a second burst on functions as strict as on AWS. */
const STRICT_SEED = Number(process.env.STRICT) || undefined;
const USERS = 10;
const APPS_PER_USER = 5;
/** Far more than any run has needed; a leak of a delivery's bytes would exceed it. */
const MEMORY_LIMIT_MB = 1000;
const END_LIMIT_MS = 20 * 60_000;

interface Service {
  readonly url: string;
  readonly password: string;
  readonly repositories: string;
  readonly pid: number;
}

/** A repository with one commit, which all its deliveries name. */
interface Repository {
  readonly user: string;
  readonly name: string;
  readonly sha: string;
}

/**
 * Measures a burst of deliveries for 50 applications of 10 users: what is refused, how long it takes, and the memory.
 * With `STRICT=<seed>` a second one, of the same size, on functions as strict as on AWS.
 */
export async function run(): Promise<readonly BenchRow[]> {
  const rows: BenchRow[] = [];
  for (const inFlight of IN_FLIGHT) {
    const usual = await burstOn({ inFlight, seed: '' });
    rows.push(...rowsOf(usual, `${inFlight} in flight`));
    if (STRICT_SEED === undefined) continue;
    const strict = await burstOn({ inFlight, seed: String(STRICT_SEED) });
    rows.push(...strictRows(strict, usual, `${inFlight} in flight, strict`));
  }
  return rows;
}

interface Burst {
  readonly inFlight: number;
  /** Of strict functions; empty for the usual ones. */
  readonly seed: string;
}

interface Measured {
  /** The first try of each delivery. */
  readonly first: readonly Shot[];
  readonly tries: number;
  readonly acceptedMs: number;
  readonly endedMs: number;
  /** Entries that have not ended. */
  readonly open: number;
  readonly peakMb: number;
}

async function burstOn({ inFlight, seed }: Burst): Promise<Measured> {
  const folder = join(testFolder, `bench-burst-${inFlight}`);
  rmSync(folder, { recursive: true, force: true });
  const service = await startChild<Service>('service.ts', [folder, String(USERS), '', seed]);
  try {
    return await measure(service.ready, await repositoriesOf(service.ready, folder), inFlight);
  } finally {
    await service.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function measure(service: Service, made: readonly Repository[], inFlight: number): Promise<Measured> {
  const memory = new PeakMemory(service.pid);
  const begin = performance.now();
  const { first, tries } = await persistentLoop(deliveries(service, made), inFlight, DELIVERIES);
  const acceptedMs = performance.now() - begin;
  const open = await untilAllEnded(service);
  return { first, tries, acceptedMs, open, endedMs: performance.now() - begin, peakMb: memory.stop() };
}

function rowsOf({ first, acceptedMs, endedMs, open, peakMb }: Measured, how: string): BenchRow[] {
  const refused = refusals(first);
  const row = (what: string, value: string, target: string, reached: boolean): BenchRow => {
    return { figure: `${DELIVERIES} deliveries, ${how}: ${what}`, value, baseline: '', target, reached };
  };
  return [
    row('refused', refused === '' ? '0' : refused, '0', refused === ''),
    row(
      'p50 / p99 of the answer',
      `${at(first, 0.5)} / ${at(first, 0.99)}`,
      '10 s, as senders wait',
      maxOf(first) < 10_000,
    ),
    row('all answered', milliseconds(acceptedMs), 'none', true),
    row('all ended', milliseconds(endedMs), 'none unfinished', open === 0),
    row('peak memory of the service', `${peakMb} MB`, `≤ ${MEMORY_LIMIT_MB} MB`, peakMb <= MEMORY_LIMIT_MB),
  ];
}

/** Beside the burst on the usual functions. What is refused here is refused by a new account as well. */
function strictRows(strict: Measured, usual: Measured, how: string): BenchRow[] {
  const refused = refusals(strict.first);
  const pair = (what: string, milli: (one: Measured) => number): BenchRow => ({
    figure: `${DELIVERIES} deliveries, ${how}: ${what}`,
    value: milliseconds(milli(strict)),
    baseline: milliseconds(milli(usual)),
    ratio: ratioOf(milli(strict), milli(usual)),
    target: 'for information',
    reached: true,
  });
  const count = (what: string, value: string, baseline: string): BenchRow => ({
    figure: `${DELIVERIES} deliveries, ${how}: ${what}`,
    ...{ value, baseline, target: 'for information', reached: true },
  });
  return [
    count('refused at the first try', refused === '' ? '0' : refused, refusals(usual.first)),
    count('tries until all were taken', String(strict.tries), String(usual.tries)),
    pair('p50 of what was taken at once', ({ first }) => quantile(times(first.filter(isTaken)), 0.5)),
    pair('p99 of what was taken at once', ({ first }) => quantile(times(first.filter(isTaken)), 0.99)),
    pair('all taken', ({ acceptedMs }) => acceptedMs),
    { ...pair('all ended', ({ endedMs }) => endedMs), target: 'none unfinished', reached: strict.open === 0 },
    count('peak memory of the service', `${strict.peakMb} MB`, `${usual.peakMb} MB`),
  ];
}

function times(shots: readonly Shot[]): number[] {
  return shots.map(({ ms }) => ms);
}

function at(shots: readonly Shot[], share: number): string {
  return milliseconds(quantile(times(shots), share));
}

function maxOf(shots: readonly Shot[]): number {
  return Math.max(...times(shots));
}

/** Makes the repositories with one commit each, which is fetched into them: a push would deploy it. */
async function repositoriesOf(service: Service, folder: string): Promise<readonly Repository[]> {
  const tree = gitFolder('none');
  const made: Repository[] = [];
  for (let index = 0; index < USERS * APPS_PER_USER; index += 1) {
    const user = `user-${1 + Math.floor(index / APPS_PER_USER)}`;
    const name = `app-${1 + (index % APPS_PER_USER)}`;
    const headers = { authorization: loginOf(service, user), 'content-type': 'application/json' };
    const body = JSON.stringify({ name, private: false });
    const answer = await fetch(`${service.repositories}/user/repos`, { method: 'POST', headers, body });
    if (!answer.ok) throw new Error(`The repository was not made: ${answer.status} ${await answer.text()}`);
    const sha = tree.commit(application(name, `${user} ${name}`));
    const bare = join(folder, 'repositories', 'repositories', user, `${name}.git`);
    execFileSync('git', ['-C', bare, 'fetch', '--quiet', tree.folder, 'HEAD:refs/heads/main']);
    made.push({ user, name, sha });
  }
  tree.remove();
  return made;
}

function loginOf({ password }: Service, user: string): string {
  return `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
}

/** Each request is a delivery of its own, with an id that was never used. */
function deliveries(service: Service, made: readonly Repository[]): Aim {
  return (number) => {
    const { user, name, sha } = made[number % made.length] ?? { user: '', name: '', sha: '' };
    const repository = { name, full_name: `${user}/${name}`, owner: { login: user }, private: false };
    const headers = {
      authorization: loginOf(service, user),
      'content-type': 'application/json',
      'x-github-event': 'push',
      'x-github-delivery': randomBytes(16).toString('hex'),
    };
    const body = JSON.stringify({
      ref: 'refs/heads/main',
      before: sha,
      after: sha,
      head_commit: { id: sha, message: `Delivery ${number}`, author: { name: user } },
      repository: { ...repository, html_url: `${service.repositories}/${user}/${name}` },
    });
    return { url: `${service.url}/1/deploy?branch=main`, headers, body };
  };
}

/** Returns how many entries are unfinished when all have ended, or after the limit. */
async function untilAllEnded(service: Service): Promise<number> {
  const limit = performance.now() + END_LIMIT_MS;
  for (;;) {
    let open = 0;
    for (let user = 1; user <= USERS; user += 1) open += await unfinishedOf(service, `user-${user}`);
    if (open === 0 || performance.now() > limit) return open;
    await sleep(1000);
  }
}

/** Entries end roughly in their order, so the newest page shows whether some have not; then all pages are read. */
async function unfinishedOf(service: Service, user: string): Promise<number> {
  const headers = { authorization: loginOf(service, user) };
  let open = 0;
  for (let skip = 0; ; skip += 100) {
    const response = await fetch(`${service.url}/1/status/${user}/webhooks?limit=100&skip=${skip}`, { headers });
    // A strict service may have all its invocations: it is asked again.
    if (!response.ok) return 1;
    const { rows } = await bodyOf(response, { rows: v.array(v.object({ status: v.string() })) });
    open += rows.filter(({ status }) => ['queued', 'running', 'held'].includes(status)).length;
    if (open > 0 || rows.length < 100) return open;
  }
}

/** The most memory that a process has had, sampled; without its children. */
class PeakMemory {
  #peakKb = 0;
  readonly #timer: NodeJS.Timeout;

  constructor(pid: number) {
    this.#timer = setInterval(() => {
      const [, kb = '0'] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
      this.#peakKb = Math.max(this.#peakKb, Number(kb));
    }, 200);
  }

  /** Returns it in megabytes. */
  stop(): number {
    clearInterval(this.#timer);
    return Math.round(this.#peakKb / 1024);
  }
}
