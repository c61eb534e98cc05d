import { appendFileSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import * as v from 'valibot';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { errors } from '../../functions/core/errors.ts';
import { bodyOf } from '../support/body-of.ts';
import { githubPush } from '../support/senders/github-push.ts';
import { application, type GitFolder, gitFolder } from '../support/service/git-folder.ts';
import { runningIn, signalIfThere } from '../support/service/processes.ts';
import { dataFolder } from '../support/service/service-process.ts';
import { budget } from './budget.ts';
import { KilledService, type Row, targets } from './world/killed-service.ts';
import { randomOf } from './world/random.ts';

const APPS = ['one', 'two', 'three'];
/** A start and three deploys, also on a machine that is busy with other work. */
const BEGIN_LIMIT_MS = 15 * 60_000;
/** After how many kills the same work is done once without one, to compare with. */
const UNDISTURBED_EVERY = 5;
const WATCH_MS = 20;
/** What a kill may leave and the next start has to remove. */
const LEFT = /\.tmp$|\.part$|^sample-\w{6}$/;

// What runs is read from /proc.
describe.skipIf(process.platform !== 'linux')(
  `npm start under SIGKILLs, SEED=${budget.seed} KILLS=${budget.kills}`,
  () => {
    const random = randomOf(budget.seed);
    let service: KilledService;
    const trees = new Map<string, GitFolder>();
    /** Commits that git has taken, newest last, by application. */
    const taken = new Map<string, string[]>();
    const accepted: string[] = [];
    const versions = new Map<string, { stop(): readonly number[] }>();
    const figures = {
      ...{ kills: 0, pushes: 0, posts: 0 },
      ...{ ready: [] as number[], finished: [] as number[], undisturbed: [] as number[] },
    };

    beforeAll(async () => {
      service = new KilledService(dataFolder('kills'));
      await service.start(true);
      for (const name of APPS) {
        // The first push makes the repository; the others go into its folder, also while the service is dead.
        const tree = gitFolder(service.remote(repositories(), name));
        trees.set(name, tree);
        taken.set(name, []);
        await push(name);
        expect(taken.get(name), `${name}: the first push`).toHaveLength(1);
        tree.git('remote', 'set-url', 'origin', service.repository(name));
      }
      await service.settled();
      for (const name of APPS) versions.set(name, watchVersions(await addressOf(name)));
    }, BEGIN_LIMIT_MS);

    afterAll(async () => {
      await service.kill('everything').catch(() => {});
      for (const { pid } of runningIn(service.dataDir)) signalIfThere(pid, 'SIGKILL');
      rmSync(service.dataDir, { recursive: true, force: true, maxRetries: 5 });
      console.log(`kills, SEED=${budget.seed}: ${JSON.stringify(summary())}`);
    });

    function summary() {
      const most = (numbers: readonly number[]) => ({ median: median(numbers), longest: Math.max(...numbers) });
      return {
        ...figures,
        ready: most(figures.ready),
        finished: most(figures.finished),
        undisturbed: most(figures.undisturbed),
        accepted: accepted.length,
        taken: [...taken.values()].flat().length,
      };
    }

    /** Pushes a new commit of an application; what git has taken has to be deployed. */
    async function push(name: string): Promise<void> {
      const tree = trees.get(name);
      const sha = tree?.commit(application(name, `${name} ${figures.pushes}`), `Push ${figures.pushes}`) ?? '';
      figures.pushes += 1;
      await tree?.push().catch(() => '');
      const tip = tree?.git('ls-remote', 'origin', 'main').split('\t')[0];
      if (tip === sha) taken.get(name)?.push(sha);
    }

    /** Sends a delivery of the newest commit by hand, as a sender does; with an answer it is accepted. */
    async function post(name: string): Promise<void> {
      const sha = taken.get(name)?.at(-1) ?? '';
      figures.posts += 1;
      const { headers, body } = delivery(name, sha);
      const answer = await service
        .request('/1/deploy?branch=main', { method: 'POST', headers, body })
        .catch(() => null);
      if (answer?.ok) accepted.push(((await answer.json().catch(() => ({}))) as Row).id ?? '');
    }

    function delivery(name: string, sha: string) {
      const body = JSON.stringify(githubPush(repositories(), { owner: 'demo', name, sha }));
      const id = `${sha}-${random.below(3)}`;
      return {
        headers: { 'content-type': 'application/json', 'x-github-event': 'push', 'x-github-delivery': id },
        body,
      };
    }

    const repositories = () => {
      const ports = JSON.parse(readFileSync(join(service.dataDir, 'ports.json'), 'utf8')) as { repositories: number };
      return `http://127.0.0.1:${ports.repositories}`;
    };

    const work = () => Promise.allSettled([...APPS.map(push), ...APPS.map(post), ...APPS.map(post)]);

    async function cycle(): Promise<void> {
      const target = random.pick(targets);
      service.watch().catch(() => {});
      const working = work();
      // Most of it happens within the first second.
      await setTimeout(1_500 * random.next() ** 2);
      await service.kill(target);
      await working;
      figures.kills += 1;
      if (target !== 'runner') figures.ready.push(await service.start(true));
      figures.finished.push(await service.settled());
      progress(target);
    }

    /** The same work without a kill. */
    async function undisturbed(): Promise<void> {
      const begin = performance.now();
      await work();
      await service.settled();
      figures.undisturbed.push(Math.round((performance.now() - begin) / 100) / 10);
      progress('nothing');
    }

    function progress(killed: string): void {
      const load = loadavg()[0]?.toFixed(1);
      const last = {
        ready: figures.ready.at(-1),
        finished: figures.finished.at(-1),
        undisturbed: figures.undisturbed.at(-1),
      };
      const line = JSON.stringify({ kills: figures.kills, killed, load, ...last, accepted: accepted.length });
      if (process.env.PROGRESS) appendFileSync(process.env.PROGRESS, `${line}\n`);
    }

    it('loses, doubles and overtakes nothing, and finishes what it has accepted', async () => {
      for (let kill = 0; kill < budget.kills && Date.now() < budget.until; kill += 1) {
        if (kill % UNDISTURBED_EVERY === 0) await undisturbed();
        await cycle();
      }
      const [rows, entries] = [await service.feed(), await service.entries()];
      expect(rows.map(({ seq }) => seq)).toEqual(rows.map((_, index) => index + 1));
      const ids = new Set(entries.map(({ id }) => id.split('/').at(-1)));
      expect(accepted.filter((id) => !ids.has(id.split('/').at(-1)))).toEqual([]);
      expect(entries.flatMap(({ error }) => error?.code ?? []).filter((code) => !Object.hasOwn(errors, code))).toEqual(
        [],
      );
      for (const name of APPS) {
        const seen = versions.get(name)?.stop() ?? [];
        expect(seen, `${name}: went back`).toEqual([...seen].sort((one, other) => one - other));
        const shas = taken.get(name) ?? [];
        const missing = shas.filter((sha) => !entries.some(({ commit }) => commit.endsWith(sha)));
        expect(missing, `${name}: taken by git and without an entry`).toEqual([]);
        const log = entries.map((entry) => JSON.stringify(entry)).filter((line) => line.includes(name));
        expect(await pageOf(name), log.slice(0, 12).join('\n')).toBe(
          trees
            .get(name)
            ?.git('show', `${shas.at(-1)}:server.js`)
            .match(/"(.*)"/)?.[1],
        );
      }
      expect(Math.max(...figures.finished)).toBeLessThanOrEqual(budget.recoverySeconds);
      await service.stop();
      const left = readdirSync(service.dataDir, { recursive: true, encoding: 'utf8' });
      expect(left.filter((path) => LEFT.test(path.split('/').at(-1) ?? ''))).toEqual([]);
    });

    async function pageOf(name: string): Promise<string> {
      const url = await addressOf(name);
      return url ? (await fetch(url)).text() : 'no page';
    }

    async function addressOf(name: string): Promise<string> {
      const app = await bodyOf(await service.request(`/1/apps/demo/${name}`), { url: v.nullish(v.string()) });
      return app.url ?? '';
    }
  },
);

/** Asks an application again and again; `stop` returns the numbers of the versions that have answered, each once in a row. */
function watchVersions(url: string) {
  const seen: number[] = [];
  let isWatching = true;
  const watch = async () => {
    for (; isWatching; await setTimeout(WATCH_MS)) {
      const text = await fetch(url, { headers: { connection: 'close' } })
        .then((answer) => (answer.ok ? answer.text() : ''))
        .catch(() => '');
      const number = Number(/^\w+ (\d+)$/.exec(text)?.[1] ?? Number.NaN);
      if (!Number.isNaN(number) && number !== seen.at(-1)) seen.push(number);
    }
  };
  void watch();
  return {
    stop: () => {
      isWatching = false;
      return seen;
    },
  };
}

function median(numbers: readonly number[]): number {
  return [...numbers].sort((one, other) => one - other)[Math.floor(numbers.length / 2)] ?? 0;
}
