import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import * as v from 'valibot';
import { expect } from 'vitest';
import { bodyOf } from '../../support/body-of.ts';
import { githubPullRequest } from '../../support/senders/pull-requests.ts';
import { application, gitFolder } from '../../support/service/git-folder.ts';
import { runningIn, signalIfThere } from '../../support/service/processes.ts';
import { dataFolder } from '../../support/service/service-process.ts';
import { KilledService } from './killed-service.ts';

const APPLICATIONS = 5;
/** Of each application. */
const PREVIEWS = 20;
const CLOSED = 7;

/** A sweep comes a minute after an entry has moved. */
const SWEPT_WITHIN_MS = 2 * 60_000;

const Apps = { apps: v.array(v.object({ app: v.string(), url: v.nullable(v.string()) })) };
/** Of a page of the list. */
const MOST_LISTED = 100;

/** Seconds from the start after the kill. */
export interface PreviewFigures {
  readonly ready: number;
  /** Until all that had been accepted was done. */
  readonly settled: number;
  /** Until all open previews had answered, asked at the same time. */
  readonly answered: number;
}

/**
 * Opens previews on `npm start`, closes some while others are still deployed, kills it with all its processes and starts
 * it again. Throws when one that is open is lost, or anything of one that is closed is left.
 */
export async function killAmongPreviews(): Promise<PreviewFigures> {
  const service = new KilledService(dataFolder('previews-killed'));
  // The embedded host has no pull requests: a comparison would find all of them closed.
  writeFileSync(join(service.dataDir, 'config.json'), '{"reconcileMinutes":0}');
  try {
    await service.start(false);
    const parents = Array.from({ length: APPLICATIONS }, (_, index) => `shop-${index}`);
    const { repositories: port } = JSON.parse(readFileSync(join(service.dataDir, 'ports.json'), 'utf8'));
    const host = `http://127.0.0.1:${port}`;
    const commits = new Map<string, string>();
    for (const parent of parents) {
      const tree = gitFolder(service.remote(host, parent));
      tree.commit(application(parent, 'parent'));
      await tree.push('main:main');
      commits.set(parent, tree.commit(application(parent, `preview of ${parent}`)));
      await tree.push('main:changes');
    }
    await service.settled();
    const tell = async (parent: string, number: number, action: 'opened' | 'closed') => {
      const commit = { host: 'local', owner: 'demo', name: parent, sha: commits.get(parent) ?? '' };
      const { body, headers } = githubPullRequest({
        action,
        number,
        commit,
        repositoryId: parents.indexOf(parent) + 1,
      });
      const told = JSON.stringify(body).replaceAll('https://memory.example.com', host);
      const init = { method: 'POST', headers: { ...headers, 'content-type': 'application/json' }, body: told };
      const answer = await service.request('/1/deploy?previews=true', init);
      expect(answer.ok, await answer.text()).toBe(true);
    };
    const ofEach = (from: number, to: number) =>
      parents.flatMap((parent) => Array.from({ length: to - from }, (_, at) => ({ parent, number: from + at + 1 })));
    // Some of those that are closed are live, others wait, others are being deployed.
    for (const { parent, number } of ofEach(0, PREVIEWS)) await tell(parent, number, 'opened');
    const half = (APPLICATIONS * PREVIEWS) / 2;
    while ((await live(service)) < half) await setTimeout(50);
    await Promise.all(ofEach(0, CLOSED).map(({ parent, number }) => tell(parent, number, 'closed')));
    await service.kill('everything');

    const ready = await service.start(false);
    const settled = await service.settled();
    const open = ofEach(CLOSED, PREVIEWS).map(({ parent, number }) => `${parent}-pr-${number}`);
    const { apps } = await bodyOf(await service.request(`/1/apps/demo?limit=${MOST_LISTED}`), Apps);
    const found = apps.filter(({ app }) => app.startsWith('shop-'));
    expect(found.map(({ app }) => app).sort()).toEqual([...open, ...parents].sort());
    const began = performance.now();
    const pages = await Promise.all(found.map(async ({ app, url }) => [app, await pageOf(url)] as const));
    const answered = Math.round((performance.now() - began) / 100) / 10;
    for (const [app, page] of pages) {
      const [parent = ''] = app.split('-pr-');
      expect([app, page]).toEqual([app, parents.includes(app) ? 'parent' : `preview of ${parent}`]);
    }
    const folder = join(service.dataDir, 'platform', 'apps', 'demo');
    expect(
      readdirSync(folder)
        .filter((app) => app.startsWith('shop-'))
        .sort(),
    ).toEqual([...open, ...parents].sort());
    expect(readdirSync(join(service.dataDir, 'platform')).filter((path) => path.endsWith('.tmp'))).toEqual([]);
    const tarballs = join(service.dataDir, 'tarballs');
    const stored = () => (existsSync(tarballs) ? readdirSync(tarballs) : []);
    await expect.poll(stored, { timeout: SWEPT_WITHIN_MS }).toEqual([]);
    await service.stop();
    return { ready, settled, answered };
  } finally {
    await service.kill('everything').catch(() => {});
    for (const { pid } of runningIn(service.dataDir)) signalIfThere(pid, 'SIGKILL');
    rmSync(service.dataDir, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** How many deploys have been live. */
async function live(service: KilledService): Promise<number> {
  return (await service.entries()).filter(({ status }) => status === 'ok').length;
}

async function pageOf(url: string | null): Promise<string> {
  return url === null ? 'no address' : (await fetch(url)).text();
}
