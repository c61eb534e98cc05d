import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import * as v from 'valibot';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Entry } from '../../functions/api/shapes/entry.ts';
import { OperatorError } from '../../lib/files/errors.ts';
import { startLocal } from '../../lib/local/start.ts';
import { entryAddress } from '../support/service/git-folder.ts';
import { httpServer } from '../support/service/http-server.ts';
import { project, testPage } from '../support/service/place.ts';
import { answering, type Restarted, restartedService } from '../support/service/restarted.ts';
import { dataFolder, loginOf, startProcess } from '../support/service/service-process.ts';

/** One line that ends as a sentence does, after the lines that tell what is being done. */
const oneSentence = /^(?:… .*\n)*[A-Za-z].*[.)]\n$/;

const Log = v.object({ rows: v.array(Entry) });
const Feed = v.object({ last_seq: v.number() });

// What runs is read from /proc. `restart.long.test.ts` has the other ways in which it ends.
describe.skipIf(process.platform !== 'linux')('npm start, stopped and started again', () => {
  let at: Restarted;

  beforeAll(async () => {
    at = restartedService('restart');
    await at.start();
  });
  afterAll(() => at.remove());

  /** Follows the changes after the last of `rows`, until the service is gone. */
  const follow = async (rows: { readonly seq: number; readonly status: string }[]) => {
    const { body } = await at.get(`/1/status/demo/changes?since=${rows.at(-1)?.seq ?? 0}`);
    let rest = '';
    const read = async () => {
      for await (const text of body?.pipeThrough(new TextDecoderStream()) ?? []) {
        const lines = `${rest}${text}`.split('\n');
        rest = lines.pop() ?? '';
        rows.push(...lines.filter(Boolean).map((line) => JSON.parse(line)));
      }
    };
    return { cut: read().catch(() => {}) };
  };

  it('npm start deploys a sample application that answers, and prints what to try next', async () => {
    expect(await at.page()).toContain('Hello from a push');
    expect(at.process().output()).toContain('git clone');
    expect(at.process().output()).not.toContain(loginOf(at.dataDir).split(':')[1]);
  });

  it('npm start refuses to start twice on one data folder', async () => {
    const second = startProcess({ dataDir: at.dataDir });
    expect(await second.ended).toBe(1);
    expect(second.output()).toMatch(oneSentence);
    expect(second.output()).toMatch(/already runs .*stop it first/);
  });

  it('npm start that is killed during a deploy leaves no process behind; the next start finishes the deploy and neither loses nor repeats a change', async () => {
    const rows: { readonly seq: number; readonly status: string }[] = [];
    const { cut } = await follow(rows);
    const tree = at.clone();
    tree.commit({
      ...at.waiting({ start: 'node server.js', postinstall: 'node waits.js' }),
      'server.js': answering('Hello again'),
    });
    const address = entryAddress(await tree.push());
    await at.until(address, ({ doc }) => doc?.stages.at(-1)?.name === 'extract');
    await at.itWaits();
    expect(await at.page()).toContain('Hello from a push');

    expect(await at.end((service) => service.signal('SIGKILL'))).toBe('SIGKILL');
    await cut;
    const seenBefore = rows.length;

    writeFileSync(at.released, '');
    const temporary = join(at.dataDir, 'temporary');
    mkdirSync(temporary);
    await at.start({ npm: true, temporary });
    await follow(rows);
    const entry = await at.until(new URL(address).pathname, ({ status }) => status === 'ok' || status === 'error');
    expect(entry).toMatchObject({ status: 'ok', app_name: 'hello', doc: { url: await at.sample() } });
    expect(await at.page()).toBe('Hello again');
    const log = await at.api('/1/status/demo/webhooks', Log);
    expect(log.rows.map(({ status }) => status)).toEqual(['ok', 'ok']);
    const { last_seq } = await at.api('/1/status/demo/changes?feed=normal&since=0', Feed);
    await expect.poll(() => rows.at(-1)?.seq).toBeGreaterThanOrEqual(last_seq);
    expect(rows.map(({ seq }) => seq)).toEqual(rows.map((_, place) => place + 1));
    expect(rows[last_seq - 1]?.status).toBe('ok');
    expect(seenBefore).toBeLessThan(last_seq);
    // Newer versions of npm keep their compiled code there.
    expect(readdirSync(temporary).filter((name) => name !== 'node-compile-cache')).toEqual([]);
  });

  it('npm start closes everything on Ctrl-C, which npm may send a second time', async () => {
    await at.end(async (service) => {
      service.signalGroup('SIGINT');
      // Two that come at once count as one.
      await setTimeout(20);
      service.signalGroup('SIGINT');
    });
    expect(at.isLocked()).toBe(false);
    expect(at.process().output()).not.toMatch(/Error|\n {4}at /);
  });
});

describe('npm start that cannot start', () => {
  const folders: string[] = [];
  const folder = (): string => {
    const made = dataFolder(`in-the-way-${folders.length}`);
    folders.push(made);
    return made;
  };
  afterAll(() => {
    for (const made of folders) rmSync(made, { recursive: true, force: true });
  });

  it('npm start says in one sentence that the port is taken, before it starts anything', async () => {
    const other = await httpServer(() => {});
    const dataDir = folder();
    const { port } = new URL(other.url);
    const process = startProcess({ dataDir, port: Number(port) });
    expect(await process.ended).toBe(1);
    expect(process.output()).toMatch(oneSentence);
    expect(process.output()).toContain(`Port ${port} `);
    expect(existsSync(join(dataDir, 'service.db'))).toBe(false);
    await other.close();
  });

  it('npm start says in one sentence that git is not installed', async () => {
    const process = startProcess({ dataDir: folder(), path: '/nowhere' });
    expect(await process.ended).toBe(1);
    expect(process.output()).toMatch(/^git was not found: .*\n$/);
  });

  it('npm start refuses a data folder of version 1.0.0, which another version has to take over', async () => {
    const dataDir = folder();
    mkdirSync(join(dataDir, 'repositories'), { recursive: true });
    writeFileSync(join(dataDir, 'repositories', 'follow.mjs'), '');
    const failure = await startLocal({ project, dataDir, page: testPage, port: 0 }).catch((error) => error);
    expect(failure).toBeInstanceOf(OperatorError);
    expect(failure.message).toContain('start version 1.1.0 with it once');
    expect(existsSync(join(dataDir, 'service.db'))).toBe(false);
  });

  it.each(['service.db', 'token.key'])(
    'npm start says in one sentence that %s is damaged, and what to do',
    async (file) => {
      const dataDir = folder();
      writeFileSync(join(dataDir, file), 'garbage{'.repeat(1000));
      const failure = await startLocal({ project, dataDir, page: testPage, port: 0 }).catch((error) => error);
      expect(failure).toBeInstanceOf(OperatorError);
      expect(failure.message).toMatch(/^[^\n]+\.$/);
      expect(failure.message).toContain(join(dataDir, file));
      expect(existsSync(join(dataDir, 'lock'))).toBe(false);
    },
  );

  it('npm start replaces damaged files that can be created again', async () => {
    const dataDir = folder();
    for (const file of ['lock', 'ports.json', 'password']) {
      writeFileSync(join(dataDir, file), '\n');
    }
    const service = await startLocal({ project, dataDir, page: testPage, port: 0 });
    expect(service.login.password).toMatch(/^\S{20,}$/);
    await service.close();
  });
});
