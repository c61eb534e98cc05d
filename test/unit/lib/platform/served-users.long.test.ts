import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { UsedRunner } from '../../../../lib/platform/desired/applications.ts';
import type { AppSpec } from '../../../../lib/runner/calls.ts';
import {
  appFiles,
  build,
  deploy,
  ended,
  hello,
  isAlive,
  platform,
  refusalOf,
  serverFile,
  start,
  tarball,
  until,
  upload,
} from '../../../support/platform/harness.ts';

describe('the users of the platform', () => {
  it('are those whom the service names: the applications of others end until they are named again', async () => {
    const at = await platform({ users: ['ada', 'bob'] });
    const app = await deploy(at, 'hello', '1', appFiles('hello', serverFile('here')));

    await at.serveUsers(['bob']);

    expect((await fetch(app.url)).status).toBe(503);
    expect(await refusalOf(start(at, 'hello', '1'))).toMatchObject({ status: 404 });
    await at.applications.list('bob');
    await at.serveUsers(['ada', 'bob']);
    await until('the application runs again', async () => (await fetch(app.url)).status === 200);
    await at.operations.stop(hello);
    await at.serveUsers(['bob']);
    await at.serveUsers(['ada']);
    expect((await at.applications.find(hello))?.state).toBe('stopped');
  });

  it('are remembered by the service: at a start the applications of others stay off', async () => {
    const first = await platform();
    const app = await deploy(first, 'hello', '1', appFiles('hello', serverFile('here')));
    await first.close();
    const at = await platform({ dataDir: first.dataDir, users: ['bob'] });
    expect((await fetch(app.url).catch(() => ({ status: 0 }))).status).not.toBe(200);
    await at.serveUsers(['ada']);
    await until('the application runs again', async () => {
      const answer = await fetch(app.url).catch(() => null);
      return answer?.status === 200;
    });
  });
  it('end at a start too, with their commands, when the runner has outlived the service that ran them', async () => {
    let [spec, runner] = [{} as AppSpec, {} as UsedRunner];
    const first = await platform({
      runner: (own) => ({
        ...own,
        apply: async (app, act) => {
          const port = await own.apply(app, act);
          if (act?.is === 'start') spec = { ...app, port, release: act.release };
          return port;
        },
      }),
    });
    const { url } = await deploy(first, 'hello', '1', appFiles('hello', serverFile('here')));
    await first.close();

    const livedOn = (own: UsedRunner) => {
      runner = own;
      return {
        ...own,
        begin: async () => {
          await own.apply(spec, { is: 'restart' });
          await own.run(spec, { command: ['sleep', '1000'] });
          expect((await fetch(url)).status).toBe(200);
          return own.begin();
        },
      };
    };
    await platform({ dataDir: first.dataDir, users: ['bob'], runner: livedOn });
    await until('it has ended', async () => (await runner.states())[0]?.state === 'stopped');
    await until('its command has', async () =>
      (await runner.processes(spec)).processes.every(({ type }) => type !== 'run'),
    );
    expect((await fetch(url)).status).toBe(503);
  });

  it('end beside each other, and also when one of them cannot be ended', async () => {
    const stopped: string[] = [];
    const logged: unknown[] = [];
    let goOn = () => {};
    const held = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    const at = await platform({
      users: ['ada', 'bob'],
      log: ({ type, app, detail }) => type === 'app.error' && logged.push([app, detail]),
      runner: (own) => ({
        ...own,
        stop: async ({ app, user }, withRuns) => {
          stopped.push(app);
          if (stopped.length === 2) goOn();
          await held;
          if (app === 'hello') throw new Error('no answer');
          return own.stop({ app, user }, withRuns);
        },
      }),
    });
    await deploy(at, 'hello', '1', appFiles('hello', serverFile('here')));
    const { url } = await deploy(at, 'other', '1', appFiles('other', serverFile('other')));
    await at.serveUsers(['bob']);
    expect(stopped.sort()).toEqual(['hello', 'other']);
    expect((await fetch(url)).status).toBe(503);
    expect(logged).toEqual([['hello', 'no answer']]);
    await at.serveUsers([]);
    expect(stopped.slice(2)).toContain('hello');
  });

  it('lose what is being built when they are removed', async () => {
    const at = await platform({ users: ['ada'] });
    await at.hosting.ensureApp(hello, {});
    const release = 'web: node server.js\nrelease: echo $$ > "$DATA_DIR/pid" && exec sleep 1000';
    await upload(at, 'hello', '1', await tarball({ ...appFiles('hello', serverFile('1')), Procfile: release }));
    await at.hosting.activate({ ...hello, snapshot: '1' });
    const pid = async () => Number(await readFile(join(at.dataDir, 'apps/ada/hello/data/pid'), 'utf8').catch(() => 0));
    await until('it is under way', async () => (await pid()) > 0);
    await at.serveUsers(['bob']);
    expect(await isAlive(await pid())).toBe(false);
    expect(await refusalOf(ended(at, 'hello', '1'))).toMatchObject({ status: 404 });
  });

  it('start nothing any more that was about to start when they were removed', async () => {
    let [write, goOn] = [() => {}, () => {}];
    const writing = new Promise<void>((resolve) => {
      write = resolve;
    });
    const held = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    let isHeld = false;
    const at = await platform({
      users: ['ada'],
      tables: (tables) => ({
        ...tables,
        write: async (work) => {
          if (isHeld) write();
          if (isHeld) await held;
          return tables.write(work);
        },
      }),
    });
    const { url } = await deploy(at, 'hello', '1', appFiles('hello', serverFile('1')));
    await build(at, 'hello', '2', appFiles('hello', serverFile('2')));
    isHeld = true;
    const refused = refusalOf(start(at, 'hello', '2'));
    await writing;
    await at.serveUsers(['bob']);
    goOn();
    expect(await refused).toMatchObject({ status: 404 });
    expect((await fetch(url)).status).toBe(503);
  });
});
