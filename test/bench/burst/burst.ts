import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import * as v from 'valibot';
import { bodyOf } from '../../support/body-of.ts';
import { githubPush } from '../../support/senders/github-push.ts';
import { application, gitFolder } from '../../support/service/git-folder.ts';
import { type Aim, closedLoop } from '../load.ts';
import { statusOf } from '../processor.ts';
import { type BenchRow, plainRow } from '../row.ts';
import { basic, makeRepository, type Service, startService } from '../service.ts';
import { milliseconds, quantile } from '../statistics.ts';

const DELIVERIES = Number(process.env.DELIVERIES ?? 2000);
const IN_FLIGHT = (process.env.IN_FLIGHT ?? '64,256').split(',').map(Number);
const USERS = 10;
const APPS_PER_USER = 5;
/** Far more than any run has needed; a leak of a delivery's bytes would exceed it. */
const MEMORY_LIMIT_MB = 500;
const END_LIMIT_MS = 20 * 60_000;

/** A repository with one commit, which all its deliveries name. */
interface Repository {
  readonly user: string;
  readonly name: string;
  readonly sha: string;
}

/** Measures a burst of deliveries for 50 applications of 10 users: what is refused, how long it takes, and the memory. */
export async function run(): Promise<readonly BenchRow[]> {
  const rows: BenchRow[] = [];
  for (const inFlight of IN_FLIGHT) rows.push(...(await burst(inFlight)));
  return rows;
}

async function burst(inFlight: number): Promise<BenchRow[]> {
  const service = await startService(`burst-${inFlight}`, USERS);
  try {
    const made = await repositoriesOf(service);
    const begin = performance.now();
    const shots = await closedLoop(deliveries(service, made), inFlight, DELIVERIES);
    const answered = performance.now() - begin;
    const open = await untilAllEnded(service);
    const ended = performance.now() - begin;
    const refused = shots.filter(({ status }) => status >= 300).length;
    const times = shots.map(({ ms }) => ms);
    // The most memory that it has had, without its children.
    const peakMb = Math.round(statusOf(service.pid, 'VmHWM') / 1024);
    const row = (what: string, value: string, most?: string, reached = true) =>
      plainRow(`${DELIVERIES} deliveries, ${inFlight} in flight: ${what}`, value, most ? { most, reached } : undefined);
    return [
      row('refused', String(refused), '0', refused === 0),
      row('answer, p50 / p99', `${milliseconds(quantile(times, 0.5))} / ${milliseconds(quantile(times, 0.99))}`),
      row('all answered', milliseconds(answered)),
      row('all ended', milliseconds(ended)),
      row('unfinished', String(open), '0', open === 0),
      row('peak memory', `${peakMb} MB`, `${MEMORY_LIMIT_MB} MB`, peakMb <= MEMORY_LIMIT_MB),
    ];
  } finally {
    await service.close();
  }
}

/** Makes the repositories with one commit each, which is fetched into them: a push would deploy it. */
async function repositoriesOf(service: Service): Promise<readonly Repository[]> {
  const tree = gitFolder('none');
  const made: Repository[] = [];
  for (let index = 0; index < USERS * APPS_PER_USER; index += 1) {
    const user = `user-${1 + Math.floor(index / APPS_PER_USER)}`;
    const name = `app-${1 + (index % APPS_PER_USER)}`;
    const bare = await makeRepository(service, user, name);
    const sha = tree.commit(application(name, `${user} ${name}`));
    execFileSync('git', ['-C', bare, 'fetch', '--quiet', tree.folder, 'HEAD:refs/heads/main']);
    made.push({ user, name, sha });
  }
  tree.remove();
  return made;
}

/** Each request is a delivery of its own, with an id that was never used. */
function deliveries(service: Service, made: readonly Repository[]): Aim {
  return (number) => {
    const { user, name, sha } = made[number % made.length] ?? { user: '', name: '', sha: '' };
    const headers = {
      authorization: basic(user, service.password),
      'content-type': 'application/json',
      'x-github-event': 'push',
      'x-github-delivery': randomBytes(16).toString('hex'),
    };
    const body = JSON.stringify({
      ...githubPush(service.repositories, { owner: user, name, sha }, sha),
      head_commit: { id: sha, message: `Delivery ${number}`, author: { name: user } },
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
  const headers = { authorization: basic(user, service.password) };
  let open = 0;
  for (let skip = 0; ; skip += 100) {
    const response = await fetch(`${service.url}/1/status/${user}/webhooks?limit=100&skip=${skip}`, { headers });
    const { rows } = await bodyOf(response, { rows: v.array(v.object({ status: v.string() })) });
    open += rows.filter(({ status }) => ['queued', 'running', 'held'].includes(status)).length;
    if (open > 0 || rows.length < 100) return open;
  }
}
