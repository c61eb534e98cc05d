import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { herokuApi } from '../../../../../../functions/adapters/platform/heroku/api.ts';
import { herokuPlatform } from '../../../../../../functions/adapters/platform/heroku/hosting.ts';
import { herokuNames } from '../../../../../../functions/adapters/platform/heroku/names.ts';
import type { HerokuParts } from '../../../../../../functions/adapters/platform/heroku/parts.ts';
import { herokuAppVariables } from '../../../../../../functions/adapters/platform/heroku/run/app-variables.ts';
import { herokuAppOperations } from '../../../../../../functions/adapters/platform/heroku/run/operations.ts';
import { tableApplications } from '../../../../../../functions/adapters/platform/in-table/applications.ts';
import type { DeployError } from '../../../../../../functions/core/errors.ts';
import type { HostingPlatform } from '../../../../../../functions/core/ports/hosting-platform.ts';
import { uploadOf } from '../../../../../contracts/hosting-platform.ts';
import { type FakeHeroku, fakeHeroku } from '../../../../../fakes/heroku/server.ts';
import type { FakeApp } from '../../../../../fakes/heroku/state.ts';
import { deployOn, partsOn, programTarball } from '../../../../../support/platform/heroku.ts';

const shop = (snapshot: string) => ({ user: 'kiwi', app: 'shop', snapshot });
const names = herokuNames('tests', shop('1'));

let heroku: FakeHeroku;
let parts: HerokuParts;
let platform: HostingPlatform;

beforeEach(async () => {
  heroku = await fakeHeroku();
  parts = partsOn(heroku);
  platform = herokuPlatform(parts);
});
afterEach(() => heroku.close());

const appOf = (name: string): FakeApp => heroku.api.apps.get(name) ?? expect.unreachable();
const deployed = (snapshot: string, behaviour = 'runs') => deployOn(parts, shop(snapshot), behaviour);
const failed = (call: Promise<unknown>): Promise<DeployError> =>
  call.then(
    () => expect.unreachable(),
    (error) => error,
  );

describe('an application on Heroku', () => {
  it('has names that Heroku allows, and that no other installation, user or application computes', () => {
    const odd = [
      { user: 'kiwi', app: 'shop' },
      { user: 'kiwi-shop', app: '' },
      { user: '9 Ünits/', app: '@x/y'.repeat(20) },
      { user: '', app: '---' },
    ];
    const all = ['one', 'two'].flatMap((seed) => odd.flatMap((ref) => Object.values(herokuNames(seed, ref))));
    for (const name of all) expect(name).toMatch(/^[a-z][a-z0-9-]{1,28}[a-z0-9]$/);
    expect(new Set(all).size).toBe(all.length);
    expect(names.run).toMatch(/^kiwi-shop-[0-9a-f]{9}$/);
  });

  it('is two apps: one that answers, and one that builds with the buildpack for Node and runs nothing', async () => {
    await deployed('1');
    expect([...heroku.api.apps.keys()].sort()).toEqual([names.run, names.build].sort());
    expect(appOf(names.build).buildpacks).toEqual(['heroku/nodejs']);
    expect(appOf(names.build).formation.get('web')).toBe(0);
    expect(appOf(names.run).formation.get('web')).toBe(1);
    expect(appOf(names.run).builds).toEqual([]);
  });

  it('adopts the app that a call has made whose result was lost', async () => {
    const lost = heroku.api.add(names.run, 'service@example.com');
    await platform.ensureApp(shop('1'), { name: 'shop' });
    expect(await parts.table.read({ pk: 'A#kiwi', sk: 'shop' })).toMatchObject({ run: lost.id });
  });

  it('is refused with its name when that belongs to another account', async () => {
    heroku.api.add(names.run, 'somebody@example.com');
    const taken = `The name ${names.run} belongs to another account on Heroku. Rename the application in package.json.`;
    await expect(platform.ensureApp(shop('1'), { name: 'shop' })).rejects.toMatchObject({
      code: 'deploy:platform:upload_tarball',
      retry: false,
      detail: taken,
    });
  });

  it('is made in the team that is configured', async () => {
    await herokuPlatform({ ...parts, team: 'team' }).ensureApp(shop('1'), { name: 'shop' });
    expect(appOf(names.run).owner).toBe('team');
  });

  it('is made again when somebody has deleted it on Heroku', async () => {
    await platform.ensureApp(shop('1'), { name: 'shop' });
    const { id } = appOf(names.run);
    heroku.api.apps.delete(names.run);
    await deployed('1');
    expect(appOf(names.run).id).not.toBe(id);
  });

  it('is built from the root of its repository only, and says so before anything is built', async () => {
    await platform.ensureApp(shop('1'), { name: 'shop' });
    await platform.upload(shop('1'), uploadOf(await programTarball('shop', '1', 'runs')));
    const error = await failed(platform.activate(shop('1'), 'packages/web'));
    expect(error).toMatchObject({ code: 'deploy:tar:extract_failed', retry: false });
    expect(error.detail).toContain('packages/web');
    expect(appOf(names.build).builds).toEqual([]);
  });

  it('is uploaded again when Heroku has deleted the upload before its build', async () => {
    await platform.ensureApp(shop('1'), { name: 'shop' });
    const bytes = await programTarball('shop', '1', 'runs');
    await platform.upload(shop('1'), uploadOf(bytes));
    const later = { ...parts, clock: { ...parts.clock, now: () => Date.now() + 3_600_000 } };
    const expired = { code: 'deploy:tar:extract_failed', retry: false, detail: expect.stringContaining('hour') };
    await expect(herokuPlatform(later).activate(shop('1'))).rejects.toMatchObject(expired);
    await herokuPlatform(later).upload(shop('1'), uploadOf(bytes));
    await herokuPlatform(later).activate(shop('1'));
    expect(heroku.calls.filter((call) => call === 'POST /sources')).toHaveLength(2);
  });

  it('has what the build printed as the reason of a failed build', async () => {
    await deployed('1', 'cannot be built').catch(() => {});
    const activation = await platform.poll(shop('1'));
    expect(activation).toMatchObject({ state: 'failed', reason: 'The build failed: no compiler here.' });
  });

  it('is not restarted by a second start of what runs', async () => {
    await deployed('1');
    const { releases } = appOf(names.run);
    const before = releases.length;
    await platform.start(shop('1'));
    expect(releases).toHaveLength(before);
  });

  it('is rolled back by a release of what was built, without a build', async () => {
    await deployed('1');
    const { url } = await deployed('2');
    const before = appOf(names.build).builds.length;
    await platform.start(shop('1'));
    expect(await (await fetch(url)).text()).toBe('1');
    expect(appOf(names.build).builds).toHaveLength(before);
  });

  it('gets no dynos when its first release does not start, and gets them with the next', async () => {
    await expect(deployed('1', 'does not start')).rejects.toMatchObject({ code: 'deploy:platform:start_app' });
    expect(appOf(names.run).formation.get('web')).toBe(0);
    expect(await tableApplications(parts).find(shop('1'))).toMatchObject({ state: 'never', url: null });
    const { url } = await deployed('2');
    expect(await (await fetch(url)).text()).toBe('2');
  });

  it('stays stopped when a release does not start', async () => {
    await deployed('1');
    await herokuAppOperations(parts).stop(shop('1'));
    await expect(deployed('2', 'does not start')).rejects.toMatchObject({ code: 'deploy:platform:start_app' });
    expect(appOf(names.run).formation.get('web')).toBe(0);
    expect(appOf(names.run).program?.version).toBe('1');
    await herokuAppOperations(parts).restart(shop('1'));
    expect(appOf(names.run).formation.get('web')).toBe(1);
  });

  it('keeps its number of dynos over a stop', async () => {
    await deployed('1');
    appOf(names.run).formation.set('web', 3);
    await herokuAppOperations(parts).stop(shop('1'));
    await herokuAppOperations(parts).restart(shop('1'));
    expect(appOf(names.run).formation.get('web')).toBe(3);
  });

  it('is refused without a web process, before it is released', async () => {
    await deployed('1');
    const error = await failed(deployed('2', 'has no web process'));
    expect(error).toMatchObject({ code: 'deploy:platform:start_app', retry: false });
    expect(error.detail).toContain('web process');
    expect(appOf(names.run).program?.version).toBe('1');
  });

  it('says that the command "release" of its Procfile failed, and keeps serving the old release', async () => {
    await deployed('1');
    const { url } = await deployed('2');
    appOf(names.run).releasePhase = 'fails';
    const error = await failed(deployed('3'));
    expect(error.detail).toContain('command "release"');
    expect(await (await fetch(url)).text()).toBe('2');
  });

  it('has no values of its variables in what a failed start printed', async () => {
    await deployed('1');
    await herokuAppVariables(parts).set(shop('1'), 'PASSWORD', 'database');
    const error = await failed(deployed('2', 'does not start'));
    expect(error.logTail).toEqual(['no *** here ***']);
    expect(error.detail).not.toContain('database');
  });

  it('leaves nothing behind when it is removed', async () => {
    await deployed('1');
    await herokuAppOperations(parts).remove(shop('1'));
    expect(heroku.api.apps.size).toBe(0);
    expect(await parts.table.scan('')).toEqual([]);
  });

  it('keeps ten snapshots', async () => {
    for (let number = 1; number <= 12; number += 1) await deployed(String(number));
    expect(await tableApplications(parts).snapshots(shop('1'))).toHaveLength(10);
  });
});

describe('the API of Heroku', () => {
  it('that is asked too often is asked again after a minute', async () => {
    heroku.limit = 0;
    await expect(platform.ensureApp(shop('1'), { name: 'shop' })).rejects.toMatchObject({
      code: 'deploy:platform:upload_tarball',
      retry: true,
      retryAfter: 60,
    });
  });

  it('that refuses the token is not asked again, and the error says where the token belongs', async () => {
    const wrong = { ...parts, api: herokuApi({ url: heroku.url, serviceToken: 'wrong-token' }) };
    const error = await failed(herokuPlatform(wrong).ensureApp(shop('1'), { name: 'shop' }));
    expect(error).toMatchObject({ retry: false, detail: expect.stringContaining('PlatformTokenSecret') });
    expect(JSON.stringify([error, error.message, error.cause])).not.toContain('wrong-token');
  });

  it('is called with a token that was replaced meanwhile', async () => {
    const api = herokuApi({ url: heroku.url, serviceToken: 'old', renewToken: async () => heroku.token });
    await herokuPlatform({ ...parts, api }).ensureApp(shop('1'), { name: 'shop' });
    expect(heroku.api.apps.size).toBe(2);
  });

  it.each([500, 503])('that answers %i is tried again', async (status) => {
    const api = herokuApi({
      url: heroku.url,
      serviceToken: heroku.token,
      fetch: async () => new Response('', { status }),
    });
    const error = await failed(herokuPlatform({ ...parts, api }).ensureApp(shop('1'), { name: 'shop' }));
    expect(error.retry).toBe(true);
  });

  it('that does not answer is tried again', async () => {
    const api = herokuApi({ url: 'http://127.0.0.1:1', serviceToken: heroku.token });
    const error = await failed(herokuPlatform({ ...parts, api }).ensureApp(shop('1'), { name: 'shop' }));
    expect(error).toMatchObject({ retry: true, detail: expect.stringContaining('did not answer') });
  });

  it('gives out addresses whose signatures are in no error', async () => {
    await platform.ensureApp(shop('1'), { name: 'shop' });
    const broken: typeof fetch = async (address) => {
      throw new TypeError(`fetch failed: ${String(address)}`);
    };
    const refusing: typeof fetch = async (address) => new Response(`SignatureDoesNotMatch ${address}`, { status: 403 });
    for (const storage of [broken, refusing]) {
      const bytes = await programTarball('shop', '1', 'runs');
      const error = await failed(herokuPlatform({ ...parts, fetch: storage }).upload(shop('1'), uploadOf(bytes)));
      expect(error).toMatchObject({ code: 'deploy:platform:upload_tarball', retry: true });
      expect(JSON.stringify([error.message, String(error.cause)])).not.toContain('secret');
    }
  });
});
