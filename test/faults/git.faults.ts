import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { forEachLimit } from '../../functions/core/concurrency.ts';
import { newFolder } from '../support/new-folder.ts';
import { git, type WorkingCopy, workingCopy } from '../support/repohost-fixture.ts';
import { runningIn, signalIfThere } from '../support/service/processes.ts';
import { dataFolder } from '../support/service/service-process.ts';
import { budget } from './budget.ts';
import { cuttingProxy } from './world/cutting-proxy.ts';
import { KilledService } from './world/killed-service.ts';
import { randomOf } from './world/random.ts';

const run = promisify(execFile);

/** How a request is sent, after which bytes at least and at most it is cut, and the git command. */
const KINDS = {
  'push with a length': { side: 'request', least: 200, most: 300_000, args: ['push'] },
  'push in chunks': { side: 'request', least: 200, most: 300_000, args: ['-c', 'http.postBuffer=65536', 'push'] },
  // With so many branches git compresses what it asks for.
  'clone in gzip': { side: 'request', least: 1_500, most: 3_000, args: ['clone'] },
  'clone, the answer': { side: 'answer', least: 200, most: 300_000, args: ['clone'] },
} as const;
type Kind = keyof typeof KINDS;
const BRANCHES = 60;
const SERVING = /http-backend|receive-pack|upload-pack|pack-objects|index-pack|unpack-objects/;
const AT_ONCE = 4;
const AUTHOR = { PATH: process.env.PATH, EMAIL: 'ada@example.test' };

// What runs is read from /proc.
describe.skipIf(process.platform !== 'linux')(
  `git over lost connections, SEED=${budget.seed} CUTS=${budget.cuts}`,
  () => {
    const random = randomOf(budget.seed);
    const folder = newFolder('cut');
    const counts: Record<string, number> = { ends: 0, left: 0 };
    let service: KilledService;
    let copy: WorkingCopy;

    const port = () => {
      const ports = JSON.parse(readFileSync(join(service.dataDir, 'ports.json'), 'utf8')) as { repositories: number };
      return ports.repositories;
    };
    const remote = (at: number) => service.remote(`http://127.0.0.1:${at}`, 'cut');
    /** The processes of git that serve requests. */
    const serving = () => runningIn(service.dataDir).filter(({ command }) => SERVING.test(command));

    beforeAll(async () => {
      service = new KilledService(dataFolder('cut'));
      await service.start(false);
      copy = workingCopy(join(folder, 'work'));
      writeFileSync(join(copy.path, 'big'), randomBytes(300_000));
      await copy.commit('first', { a: '1' });
      const branch = 'git update-ref refs/heads/branch-$1 "$(git commit-tree -m $1 main^{tree} </dev/null)"';
      await run('sh', ['-ec', `for i in $(seq ${BRANCHES}); do set -- $i; ${branch}; done`], {
        cwd: copy.path,
        env: AUTHOR,
      });
      // Not main, which would be deployed.
      await copy.git('push', '--quiet', '--push-option', 'nowait', remote(port()), 'refs/heads/branch-*');
      await copy.git('checkout', '--quiet', '-b', 'cut');
      writeFileSync(join(copy.path, 'big'), randomBytes(300_000));
      await copy.commit('second', { a: '2' });
    }, 600_000);

    afterAll(async () => {
      await service.kill('everything').catch(() => {});
      for (const { pid } of runningIn(service.dataDir)) signalIfThere(pid, 'SIGKILL');
      rmSync(service.dataDir, { recursive: true, force: true, maxRetries: 5 });
      console.log(`git over lost connections, SEED=${budget.seed}: ${JSON.stringify(counts)}`);
    });

    /** Something new to push. */
    async function change(): Promise<void> {
      writeFileSync(join(copy.path, 'big'), randomBytes(300_000));
      await copy.commit('next', {});
    }

    /** Begins a command whose connection is cut or held; resolves when that has happened, or it has ended before. */
    async function begin(kind: Kind, number: number, end: 'cut' | 'held') {
      const { side, least, most, args } = KINDS[kind];
      const proxy = await cuttingProxy(port(), { side, bytes: least + random.below(most - least), end });
      const rest = args.includes('clone' as never)
        ? ['--quiet', '--bare', remote(proxy.port), join(folder, `clone-${number}`)]
        : ['--quiet', '--push-option', 'nowait', remote(proxy.port), `cut:refs/heads/cut-${number}`];
      const env = { PATH: process.env.PATH, GIT_CONFIG_GLOBAL: '/dev/null', GIT_TERMINAL_PROMPT: '0' };
      const running = run('git', ['-C', copy.path, ...args, ...rest], { env }).then(
        () => 'whole',
        () => 'failed',
      );
      const met = await Promise.race([proxy.met.then(() => true), running.then(() => false)]);
      if (met) counts[`${kind}, ${end}`] = (counts[`${kind}, ${end}`] ?? 0) + 1;
      return { finished: () => proxy.close().then(() => running) };
    }

    /** Waits until no process of git is left, and counts those that are. */
    async function noneLeft(): Promise<void> {
      const ended = expect.poll(() => serving().map(({ command }) => command), { timeout: 20_000 }).toEqual([]);
      await ended.finally(() => {
        counts.left = (counts.left ?? 0) + serving().length;
      });
    }

    const kinds = Object.keys(KINDS) as Kind[];
    const some = (length: number) => Array.from({ length }, (_, number) => number);

    it('leaves no process of a request that was cut, and the next push and clone are whole', async () => {
      await forEachLimit(some(budget.cuts), AT_ONCE, async (number) => {
        const { finished } = await begin(kinds[number % kinds.length] ?? 'push in chunks', number, 'cut');
        await finished();
      });
      await noneLeft();
      await copy.git('push', '--quiet', '--push-option', 'nowait', remote(port()), 'cut:refs/heads/after');
      const clone = join(folder, 'after');
      await git(['clone', '--quiet', '--branch', 'after', remote(port()), clone]);
      expect((await git(['-C', clone, 'fsck', '--full'])).stdout).toBe('');
    });

    it.each([
      ['a SIGKILL of the service', () => service.kill('service')],
      ['a SIGKILL of everything and the next start', () => service.kill('everything')],
      ['a stop', () => service.stop()],
    ])('leaves no process after %s in the middle of pushes and clones', async (_, end) => {
      await change();
      const held = await Promise.all(kinds.map((kind, number) => begin(kind, budget.cuts + number, 'held')));
      await expect.poll(() => serving().length).toBeGreaterThan(1);
      // Each waits until nothing of the service runs.
      await end();
      counts.ends = (counts.ends ?? 0) + 1;
      await service.start(false);
      await noneLeft();
      for (const { finished } of held) await finished();
    });
  },
);
