import { expect, it } from 'vitest';
import { HttpError } from '../../../../lib/http/http-error.ts';
import type { UsedRunner } from '../../../../lib/platform/desired/applications.ts';
import {
  appFiles,
  build,
  deploy,
  hello,
  platform,
  refusalOf,
  serverFile,
  start,
  temporaryFolder,
  until,
  visit,
} from '../../../support/platform/harness.ts';

const HOST = 'hello.ada.localhost';
const AWAY = () => new HttpError(503, 'What runs the applications was started again.');
const version = (number: string, server = serverFile(number)) => appFiles('hello', server);

/** Starts a platform again, and notes the releases that it starts. */
async function startedAgain(dataDir: string) {
  const started: string[] = [];
  const runner = starting((begin, snapshot) => {
    started.push(snapshot);
    return begin();
  });
  const at = await platform({ dataDir, runner });
  await until('it answers', async () => (await visit(at, HOST)).status === 200);
  return { at, started };
}

/** Returns what replaces the start of a release. */
function starting(replaced: (start: () => Promise<number | null>, snapshot: string) => Promise<number | null>) {
  return (runner: UsedRunner): UsedRunner => ({
    ...runner,
    apply: (app, act) => {
      const apply = () => runner.apply(app, act);
      return act?.is === 'start' ? replaced(apply, act.release.snapshot) : apply();
    },
  });
}

const killed: Readonly<Record<string, (start: () => Promise<number | null>) => Promise<number | null>>> = {
  'before it answers requests': async () => {
    throw AWAY();
  },
  'between the first request and the record of it': async (start) => {
    await start();
    throw AWAY();
  },
};

it.each(Object.entries(killed))(
  'a release whose start was cut off %s is what runs after the next start, and never the older one',
  async (_, cut) => {
    const dataDir = await temporaryFolder();
    const first = await platform({
      dataDir,
      runner: starting((begin, snapshot) => (snapshot === '2' ? cut(begin) : begin())),
    });
    await deploy(first, 'hello', '1', version('1'));
    await build(first, 'hello', '2', version('2'));
    await refusalOf(start(first, 'hello', '2'));
    await first.close();

    const started: string[] = [];
    const noted = starting((begin, snapshot) => {
      started.push(snapshot);
      return begin();
    });
    const resumed: unknown[] = [];
    const second = await platform({
      dataDir,
      runner: (runner) => ({
        ...noted(runner),
        apply: async (app, act) => {
          if (act?.is === 'resume' && !act.later) resumed.push((await runner.states()).map(({ state }) => state));
          return noted(runner).apply(app, act);
        },
      }),
    });
    await until('it answers', async () => (await visit(second, HOST)).status === 200);
    expect((await visit(second, HOST)).body).toBe('2');
    expect(started).toEqual(['2']);
    await until('it was resumed', () => resumed.length === 1);
    expect(resumed).toEqual([['running']]);
    expect((await second.applications.find(hello))?.snapshot).toBe('2');
  },
);

it('when that release does not start, the one before runs, also after a further start', async () => {
  const dataDir = await temporaryFolder();
  const first = await platform({
    dataDir,
    runner: starting(async (begin, snapshot) => {
      if (snapshot === '2') throw AWAY();
      return begin();
    }),
  });
  await deploy(first, 'hello', '1', version('1'));
  await build(first, 'hello', '2', version('2', 'process.exit(1);'));
  await refusalOf(start(first, 'hello', '2'));
  await first.close();
  const { at: second } = await startedAgain(dataDir);
  expect((await visit(second, HOST)).body).toBe('1');
  await second.close();
  expect((await startedAgain(dataDir)).started).toEqual([]);
});

it('a start that has failed leaves nothing for the next start of the platform', async () => {
  const dataDir = await temporaryFolder();
  const first = await platform({ dataDir });
  await deploy(first, 'hello', '1', version('1'));
  await build(first, 'hello', '2', version('2', 'process.exit(1);'));
  await refusalOf(start(first, 'hello', '2'));
  await first.close();
  expect((await startedAgain(dataDir)).started).toEqual([]);
});

const texts: Readonly<Record<string, unknown>> = {
  'an error of the system': Object.assign(new Error('connect ECONNREFUSED runner.sock'), { code: 'ECONNREFUSED' }),
  'a connection that was cut': Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' }),
  'a mistake': new TypeError("Cannot read properties of undefined (reading 'port')"),
  'what is no error': 'aborted',
};

it.each(Object.entries(texts))('%s in the runner is no reason of a deploy', async (_, thrown) => {
  const details: unknown[] = [];
  const at = await platform({
    log: ({ detail }) => details.push(detail),
    runner: starting(async () => {
      throw thrown;
    }),
  });
  await build(at, 'hello', '1', version('1'));
  const failed = at.hosting.start({ ...hello, snapshot: '1' });
  await expect(failed).rejects.toMatchObject({
    detail: 'The service failed; the operator finds the reason in its log.',
  });
  expect(details).toContain(thrown instanceof Error ? thrown.message : thrown);
});

it('a runner that does not answer is 503 for who asks for the applications', async () => {
  const at = await platform({
    runner: (runner) => ({
      ...runner,
      states: async () => {
        throw AWAY();
      },
    }),
  });
  await build(at, 'hello', '1', version('1'));
  await at.hosting.start({ ...hello, snapshot: '1' }).catch(() => undefined);
  await expect(at.applications.list('ada')).rejects.toMatchObject({
    status: 503,
    code: 'request:unavailable',
    detail: 'What runs the applications was started again.',
  });
});

it('requests for what ran wait for its turn after a restart of the runner; what was stopped is stopped', async () => {
  const dataDir = await temporaryFolder();
  const first = await platform({ dataDir });
  await deploy(first, 'hello', '1', version('1'));
  await deploy(first, 'other', '1', appFiles('other', serverFile('other')));
  await first.operations.stop({ user: 'ada', app: 'other' });
  await first.close();

  let goOn = () => {};
  const held = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  const second = await platform({
    dataDir,
    runner: (runner) => ({
      ...runner,
      apply: async (app, act) => {
        if (act?.is === 'resume' && !act.later) await held;
        return runner.apply(app, act);
      },
    }),
  });
  const answer = visit(second, HOST);
  expect(await visit(second, 'other.ada.localhost')).toMatchObject({ status: 503 });
  goOn();
  expect(await answer).toMatchObject({ status: 200, body: '1' });
});

it.each([
  ['fails is not recorded', new HttpError(500, 'The application did not answer GET /.'), 1],
  ['a killed runner has not answered is', AWAY(), 2],
])('a change of the scale that %s', async (_, error, web) => {
  const dataDir = await temporaryFolder();
  const first = await platform({
    dataDir,
    runner: (runner) => ({
      ...runner,
      apply: async (app, act) => {
        if (act?.is === 'scale') throw error;
        return runner.apply(app, act);
      },
    }),
  });
  await deploy(first, 'hello', '1', version('1'));
  await refusalOf(first.processes.scale(hello, { web: 2 }));
  await first.close();
  const second = await platform({ dataDir });
  expect((await second.processes.list(hello))?.scale).toEqual({ web });
});
