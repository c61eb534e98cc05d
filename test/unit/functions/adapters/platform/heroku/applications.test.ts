import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { herokuBuildOutput } from '../../../../../../functions/adapters/platform/heroku/build/build-output.ts';
import { herokuPlatform } from '../../../../../../functions/adapters/platform/heroku/hosting.ts';
import { herokuNames } from '../../../../../../functions/adapters/platform/heroku/names.ts';
import type { HerokuParts } from '../../../../../../functions/adapters/platform/heroku/parts.ts';
import { herokuAppHealth } from '../../../../../../functions/adapters/platform/heroku/run/app-health.ts';
import { herokuAppOutput } from '../../../../../../functions/adapters/platform/heroku/run/app-output.ts';
import { herokuAppVariables } from '../../../../../../functions/adapters/platform/heroku/run/app-variables.ts';
import { herokuAppOperations } from '../../../../../../functions/adapters/platform/heroku/run/operations.ts';
import { tableAppEvents } from '../../../../../../functions/adapters/platform/in-table/app-events.ts';
import { tableApplications } from '../../../../../../functions/adapters/platform/in-table/applications.ts';
import { uploadOf } from '../../../../../contracts/hosting-platform.ts';
import { type FakeHeroku, fakeHeroku } from '../../../../../fakes/heroku/server.ts';
import type { FakeApp } from '../../../../../fakes/heroku/state.ts';
import { deployOn, partsOn, programTarball } from '../../../../../support/platform/heroku.ts';

const shop = (snapshot: string) => ({ user: 'kiwi', app: 'shop', snapshot });
const names = herokuNames('tests', shop('1'));
const { signal } = new AbortController();

let heroku: FakeHeroku;
let parts: HerokuParts;

beforeEach(async () => {
  heroku = await fakeHeroku();
  parts = partsOn(heroku);
});
afterEach(() => heroku.close());

const runApp = (): FakeApp => heroku.api.apps.get(names.run) ?? expect.unreachable();
const events = async () => (await tableAppEvents(parts.table).after(0)).events;
const stateNow = async () => (await tableApplications(parts).find(shop('1')))?.state;
const setDynos = (state: string) => {
  for (const dyno of runApp().dynos) dyno.state = state;
};

async function linesOf(output: AsyncIterable<readonly { readonly line: string }[]> | null): Promise<string[]> {
  const lines: string[] = [];
  for await (const batch of output ?? []) lines.push(...batch.map(({ line }) => line));
  return lines;
}

describe('the watch over applications on Heroku', () => {
  it('finds one whose dynos have crashed, with the reason and without the values of its variables', async () => {
    await deployOn(parts, shop('1'), 'runs');
    await herokuAppVariables(parts).set(shop('1'), 'PASSWORD', 'database');
    setDynos('crashed');
    runApp().print('app[web.1]', 'Error: no database here');
    runApp().print('heroku[web.1]', 'Process exited with status 1');
    await herokuAppHealth(parts).recheck();
    expect(await stateNow()).toBe('crashed');
    expect(await events()).toEqual([
      {
        ...shop('1'),
        seq: expect.any(Number),
        state: 'crashed',
        reason: 'The application crashed and does not start again: Error: no *** here.',
        log: ['Error: no *** here'],
      },
    ]);
  });

  it('finds that it answers again', async () => {
    await deployOn(parts, shop('1'), 'runs');
    setDynos('crashed');
    await herokuAppHealth(parts).recheck();
    setDynos('up');
    await herokuAppHealth(parts).recheck();
    expect(await stateNow()).toBe('running');
    expect(await events()).toMatchObject([{ state: 'running', reason: null }]);
  });

  it('leaves alone what sleeps, and what is stopped', async () => {
    await deployOn(parts, shop('1'), 'runs');
    setDynos('idle');
    await herokuAppHealth(parts).recheck();
    expect(await stateNow()).toBe('running');
    await herokuAppOperations(parts).stop(shop('1'));
    await herokuAppHealth(parts).recheck();
    expect(await stateNow()).toBe('stopped');
    expect(await events()).toEqual([]);
  });

  it('looks at ten applications in a run, those first that it has not seen for longest', async () => {
    for (let number = 1; number <= 12; number += 1) {
      await parts.table.write({ pk: 'R', sk: `kiwi/app${number}` }, { user: 'kiwi', app: `app${number}` });
    }
    await herokuAppHealth(parts).recheck();
    const seen = (await parts.table.list('R')).filter(({ asked }) => asked !== undefined);
    expect(seen).toHaveLength(10);
    await herokuAppHealth(parts).recheck();
    expect((await parts.table.list('R')).every(({ asked }) => asked !== undefined)).toBe(true);
  });

  it('is over when one that has crashed is deployed again', async () => {
    await deployOn(parts, shop('1'), 'runs');
    setDynos('crashed');
    await herokuAppHealth(parts).recheck();
    await deployOn(parts, shop('2'), 'runs');
    expect(await events()).toMatchObject([{ snapshot: '2', state: 'running' }]);
  });
});

describe('the variables of an application on Heroku', () => {
  it.each(['1A', 'A-B', '', 'PORT', 'DYNO', 'HEROKU_KEY', '__X'])('cannot be named %j', async (name) => {
    const variables = herokuAppVariables(parts);
    await variables.create(shop('1'), 'shop');
    await expect(variables.set(shop('1'), name, 'x')).rejects.toMatchObject({ code: 'request:bad_parameter' });
  });

  it('are refused before they are sent when all together are more than 64 KB', async () => {
    const variables = herokuAppVariables(parts);
    await variables.create(shop('1'), 'shop');
    expect(await variables.set(shop('1'), 'LARGE', 'x'.repeat(60_000))).toBe(true);
    const large = { code: 'request:too_large', detail: expect.stringContaining('64 KB') };
    await expect(variables.set(shop('1'), 'MORE', 'x'.repeat(6_000))).rejects.toMatchObject(large);
    expect(Object.keys(runApp().config)).toEqual(['LARGE']);
  });

  it('are not in the app that builds, nor in the table', async () => {
    await deployOn(parts, shop('1'), 'runs');
    await herokuAppVariables(parts).set(shop('1'), 'PASSWORD', 'secret of the database');
    expect(heroku.api.apps.get(names.build)?.config).toEqual({});
    expect(JSON.stringify(await parts.table.scan(''))).not.toContain('secret of the database');
  });
});

describe('the output of an application on Heroku', () => {
  it('has the lines of the application as stdout and those of Heroku as platform, without its router', async () => {
    await deployOn(parts, shop('1'), 'runs');
    runApp().print('heroku[router]', 'at=info method=GET path="/"');
    runApp().print('app[web.1]', 'listening: yes');
    const output = await herokuAppOutput(parts).read(shop('1'), { lines: 100, follow: false }, signal);
    const all: unknown[] = [];
    for await (const batch of output ?? []) all.push(...batch);
    expect(all).toContainEqual({ at: expect.any(String), stream: 'stdout', line: 'listening: yes' });
    expect(all).toContainEqual(
      expect.objectContaining({ stream: 'platform', line: expect.stringMatching('Release v1') }),
    );
    expect(JSON.stringify(all)).not.toContain('router');
  });

  it('follows what comes after the lines that were there, each once', async () => {
    await deployOn(parts, shop('1'), 'runs');
    runApp().print('app[web.1]', 'before');
    const stop = new AbortController();
    const output = await herokuAppOutput(parts).read(shop('1'), { lines: 1, follow: true }, stop.signal);
    const seen: string[] = [];
    const reading = (async () => {
      for await (const batch of output ?? []) seen.push(...batch.map(({ line }) => line));
    })();
    await expect.poll(() => runApp().readers.size).toBe(1);
    await new Promise((resolve) => setTimeout(resolve, 2));
    runApp().print('app[web.1]', 'after');
    await expect.poll(() => seen).toContain('after');
    stop.abort();
    await reading;
    expect(seen.filter((line) => line === 'before' || line === 'after')).toEqual(['before', 'after']);
  });

  it('loses nothing between the lines that were there and those that come', async () => {
    await deployOn(parts, shop('1'), 'runs');
    const stop = new AbortController();
    const output = await herokuAppOutput(parts).read(shop('1'), { lines: 1, follow: true }, stop.signal);
    const batches = output?.[Symbol.asyncIterator]();
    await batches?.next();
    await new Promise((resolve) => setTimeout(resolve, 2));
    for (const line of ['one', 'two', 'three']) runApp().print('app[web.1]', line);
    const next = await batches?.next();
    stop.abort();
    await batches?.return?.();
    expect(next?.value.map(({ line }: { readonly line: string }) => line)).toEqual(['one', 'two', 'three']);
  });

  it('fails without the address of the log, which is a secret', async () => {
    await deployOn(parts, shop('1'), 'runs');
    const broken: typeof fetch = async (address) => {
      throw new TypeError(`fetch failed: ${String(address)}`);
    };
    const output = await herokuAppOutput({ ...parts, fetch: broken }).read(
      shop('1'),
      { lines: 5, follow: false },
      signal,
    );
    const error = await linesOf(output).catch((thrown: Error) => thrown);
    expect(error).toMatchObject({ code: 'request:failed', retry: true });
    expect(String((error as Error).message) + String((error as Error).cause)).not.toContain('srv=');
  });
});

describe('the build log of a snapshot on Heroku', () => {
  async function building(): Promise<void> {
    const platform = herokuPlatform(parts);
    await platform.ensureApp(shop('1'), { name: 'shop' });
    await platform.upload(shop('1'), uploadOf(await programTarball('shop', '1', 'cannot be built')));
    await platform.activate(shop('1'));
  }

  it('is followed until the build has ended', async () => {
    await building();
    const following = linesOf(await herokuBuildOutput(parts).read(shop('1'), true, signal));
    while ((await herokuPlatform(parts).poll(shop('1'))).state === 'building');
    expect(await following).toEqual(
      expect.arrayContaining(['-----> Building on the Heroku-24 stack', '       no compiler here']),
    );
  });

  it('is what has been printed so far without follow', async () => {
    await building();
    heroku.api.apps.get(names.build)?.builds.forEach((build) => {
      build.left = 100;
    });
    const lines = await linesOf(await herokuBuildOutput(parts).read(shop('1'), false, signal));
    expect(lines.filter((line) => line !== '')).toEqual(['-----> Building on the Heroku-24 stack']);
  });

  it('is null for a snapshot that is not there, and ends when its reader goes', async () => {
    expect(await herokuBuildOutput(parts).read(shop('9'), true, signal)).toBeNull();
    await building();
    heroku.api.apps.get(names.build)?.builds.forEach((build) => {
      build.left = 100;
    });
    const gone = new AbortController();
    const lines: string[] = [];
    for await (const batch of (await herokuBuildOutput(parts).read(shop('1'), true, gone.signal)) ?? []) {
      lines.push(...batch.map(({ line }) => line));
      gone.abort();
    }
    expect(lines).toEqual(['-----> Building on the Heroku-24 stack']);
  });
});
