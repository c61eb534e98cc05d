import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { tableApplications } from '../../../../../../functions/adapters/platform/in-table/applications.ts';
import { keys } from '../../../../../../functions/adapters/platform/in-table/keys.ts';
import { scalingoName } from '../../../../../../functions/adapters/platform/scalingo/ensure-app.ts';
import { scalingoPlatform } from '../../../../../../functions/adapters/platform/scalingo/hosting.ts';
import type { ScalingoParts } from '../../../../../../functions/adapters/platform/scalingo/parts.ts';
import { scalingoAppVariables } from '../../../../../../functions/adapters/platform/scalingo/run/app-variables.ts';
import { scalingoAppOperations } from '../../../../../../functions/adapters/platform/scalingo/run/operations.ts';
import { DeployError } from '../../../../../../functions/core/errors.ts';
import type { HostingPlatform } from '../../../../../../functions/core/ports/hosting-platform.ts';
import { uploadOf } from '../../../../../contracts/hosting-platform.ts';
import type { FakeScalingo } from '../../../../../fakes/scalingo/server.ts';
import type { FakeApp } from '../../../../../fakes/scalingo/state.ts';
import { programTarball } from '../../../../../support/platform/heroku.ts';
import { deployOn, jumpingClock, openScalingo } from '../../../../../support/platform/scalingo.ts';

const shop = (snapshot: string) => ({ user: 'kiwi', app: 'shop', snapshot });
const name = scalingoName('tests', shop('1'));

let scalingo: FakeScalingo;
let parts: ScalingoParts;
let objects: Map<string, Buffer>;
let platform: HostingPlatform;

beforeEach(async () => {
  ({ scalingo, parts, objects } = await openScalingo());
  platform = scalingoPlatform(parts);
});
afterEach(() => scalingo.close());

const app = (): FakeApp => scalingo.api.apps.get(name) ?? expect.unreachable();
const refs = () => app().deployments.map(({ git_ref }) => git_ref);
const deployed = (snapshot: string, behaviour = 'runs', order?: number) =>
  deployOn(parts, shop(snapshot), { behaviour, ...(order !== undefined && { order }) });
const failed = (call: Promise<unknown>): Promise<DeployError> =>
  call.then(
    () => expect.unreachable(),
    (error) => error,
  );

async function uploaded(snapshot: string, behaviour = 'runs'): Promise<void> {
  await platform.ensureApp(shop(snapshot), { name: 'shop' });
  await platform.upload(shop(snapshot), uploadOf(await programTarball('shop', snapshot, behaviour)));
}

async function polled(snapshot: string) {
  for (;;) {
    const activation = await platform.poll(shop(snapshot));
    if (activation.state !== 'building') return activation;
  }
}

describe('an application on Scalingo', () => {
  it('has a name that Scalingo allows, and that no other installation, user or application computes', () => {
    const odd = [
      { user: 'kiwi', app: 'shop' },
      { user: 'kiwi-shop', app: '' },
      { user: '9 Ünits/', app: '@x/y'.repeat(20) },
      { user: '', app: '---' },
    ];
    const all = ['one', 'two'].flatMap((seed) => odd.map((ref) => scalingoName(seed, ref)));
    for (const one of all) expect(one).toMatch(/^(?=.{6,48}$)[a-z][a-z0-9]*(?:-[a-z0-9]+)*$/);
    expect(new Set(all).size).toBe(all.length);
    expect(name).toMatch(/^kiwi-shop-[0-9a-f]{9}$/);
  });

  it('adopts the app that a call has made whose result was lost', async () => {
    const lost = scalingo.api.add(name, 'service');
    await platform.ensureApp(shop('1'), { name: 'shop' });
    expect(await parts.table.read({ pk: 'A#kiwi', sk: 'shop' })).toMatchObject({ run: lost.id });
  });

  it('is refused with its name when that belongs to another account', async () => {
    scalingo.api.add(name, 'somebody');
    const detail = `The name ${name} belongs to another account on Scalingo. Rename the application in package.json.`;
    await expect(platform.ensureApp(shop('1'), { name: 'shop' })).rejects.toMatchObject({
      ...{ code: 'deploy:platform:upload_tarball', retry: false, detail },
    });
  });

  it('is made and deployed again when somebody has deleted it on Scalingo', async () => {
    await deployed('1');
    const { id } = app();
    scalingo.api.apps.delete(name);
    const { url } = await deployed('2');
    expect(app().id).not.toBe(id);
    expect(await (await fetch(url)).text()).toBe('2');
  });

  it('is built from the root of its repository only, and says so before anything is deployed', async () => {
    await uploaded('1');
    const error = await failed(platform.activate(shop('1'), 'packages/web'));
    expect(error).toMatchObject({ code: 'deploy:tar:extract_failed', retry: false });
    expect(error.detail).toContain('packages/web');
    expect(app().deployments).toEqual([]);
  });

  it('has what the build printed as the reason of a failed build, and keeps what runs', async () => {
    const { url } = await deployed('1');
    await deployed('2', 'cannot be built').catch(() => {});
    const reason = 'The build failed: no compiler here.';
    expect(await platform.poll(shop('2'))).toMatchObject({ state: 'failed', reason });
    expect(await (await fetch(url)).text()).toBe('1');
  });

  it.each([
    ['is never up', 'port of the variable PORT'],
    ['has a hook that fails', 'The command "postdeploy" of the Procfile failed'],
    ['does not start', 'no database here'],
  ])('that %s says so when it starts, and keeps what runs', async (behaviour, words) => {
    const { url } = await deployed('1');
    const error = await failed(deployed('2', behaviour));
    expect(error).toMatchObject({ code: 'deploy:platform:start_app', retry: false });
    expect(error.detail).toContain(words);
    expect(await (await fetch(url)).text()).toBe('1');
    await failed(platform.start(shop('2')));
    expect(refs()).toHaveLength(2);
  });

  it('says that Scalingo has aborted a deployment', async () => {
    await uploaded('1', 'is aborted');
    await platform.activate(shop('1'));
    expect(await polled('1')).toMatchObject({ state: 'failed', reason: 'Scalingo has aborted the deployment.' });
  });

  it('says that it has no web process', async () => {
    const error = await failed(deployed('1', 'has no web process'));
    expect(error).toMatchObject({ code: 'deploy:platform:start_app', retry: false });
    expect(error.detail).toContain('web process');
  });

  it('has no values of its variables in what a failed start printed', async () => {
    await deployed('1');
    await scalingoAppVariables(parts).set(shop('1'), 'PASSWORD', 'database');
    const error = await failed(deployed('2', 'does not start'));
    expect(error.logTail).toEqual(['no *** here ***']);
    expect(error.detail).not.toContain('database');
    expect(JSON.stringify(await parts.table.scan(''))).not.toContain('database');
  });

  it('leaves nothing behind when it is removed', async () => {
    await deployed('1');
    await scalingoAppOperations(parts).remove(shop('1'));
    expect(scalingo.api.apps.size).toBe(0);
    expect(await parts.table.scan('')).toEqual([]);
    expect(objects.size).toBe(0);
  });

  it('keeps ten snapshots with their archives', async () => {
    for (let number = 1; number <= 12; number += 1) await deployed(String(number));
    expect(await tableApplications(parts).snapshots(shop('1'))).toHaveLength(10);
    expect(objects.size).toBe(10);
  });
});

describe('a deploy on Scalingo that is called again', () => {
  it('is deployed once, whatever is called twice', async () => {
    await uploaded('1');
    for (const call of [1, 2]) {
      await platform.activate(shop('1'), undefined, 7);
      await platform.poll(shop('1'));
      expect(call).toBeGreaterThan(0);
    }
    await polled('1');
    await platform.activate(shop('1'), undefined, 7);
    await platform.start(shop('1'), 7);
    await platform.start(shop('1'), 7);
    expect(refs()).toEqual(['1.1']);
    expect(scalingo.calls.filter((call) => /restart|scale/.test(call))).toEqual([]);
  });

  it('finds the deployment whose answer was lost', async () => {
    await uploaded('1');
    const broken = scalingoPlatform({ ...parts, api: losing(parts, 'answer') });
    await expect(broken.activate(shop('1'))).rejects.toMatchObject({ retry: true });
    await platform.activate(shop('1'));
    expect(await polled('1')).toEqual({ state: 'ready' });
    expect(refs()).toEqual(['1.1']);
  });

  it('is deployed later when its call has never reached Scalingo', async () => {
    await uploaded('1');
    const broken = scalingoPlatform({ ...parts, api: losing(parts, 'request') });
    await expect(broken.activate(shop('1'))).rejects.toMatchObject({ retry: true });
    await platform.activate(shop('1'));
    expect(await platform.poll(shop('1'))).toEqual({ state: 'building' });
    const later = scalingoPlatform({ ...parts, clock: { ...parts.clock, now: () => Date.now() + 31_000 } });
    expect(await later.poll(shop('1'))).toEqual({ state: 'building' });
    await later.activate(shop('1'));
    expect(await polled('1')).toEqual({ state: 'ready' });
    expect(refs()).toEqual(['1.2']);
  });

  it('is not deployed by a call that comes when the next turn may be taken', async () => {
    await uploaded('1');
    let now = Date.now();
    const table = { ...parts.table };
    table.write = async (key, changes, condition) => {
      if (changes.state === 'building') now += 16_000;
      return parts.table.write(key, changes, condition);
    };
    const slow = scalingoPlatform({ ...parts, table, clock: { ...parts.clock, now: () => now } });
    await expect(slow.activate(shop('1'))).rejects.toMatchObject({ code: 'deploy:tar:extract_failed', retry: true });
    expect(refs()).toEqual([]);
  });

  it('may be deployed after Scalingo has refused the call, whose address is in no error', async () => {
    await uploaded('1');
    const error = await failed(scalingoPlatform({ ...parts, api: refusing(parts) }).activate(shop('1')));
    expect(error).toMatchObject({ code: 'deploy:tar:extract_failed', retry: false });
    expect(error.detail).toContain('<archive>');
    expect(JSON.stringify([error.message, error.detail, String(error.cause)])).not.toContain('X-Amz');
    await platform.activate(shop('1'));
    expect(await polled('1')).toEqual({ state: 'ready' });
  });
});

describe('an answer of Scalingo of another form', () => {
  const page = { status: 200, body: undefined, text: '<html>Maintenance', location: null };

  it.each(['deployments', 'variables', 'containers'])(
    'in the place of the %s is an error and not an empty list',
    async (of) => {
      await deployed('1');
      await uploaded('2');
      const broken = { ...parts, api: losing(parts, 'answer') };
      await failed(scalingoPlatform(broken).activate(shop('2')));
      const api: ScalingoParts['api'] = (request) =>
        request.method === 'GET' && request.path.at(-1) === of ? Promise.resolve(page) : parts.api(request);
      const later = { ...parts, api, clock: { ...parts.clock, now: () => Date.now() + 31_000 } };
      const calls: Readonly<Record<string, () => Promise<unknown>>> = {
        deployments: () => scalingoPlatform(later).poll(shop('2')),
        variables: () => scalingoAppVariables(later).read(shop('1')),
        containers: () => scalingoPlatform(later).start(shop('2')),
      };
      if (of === 'containers') await polled('2');
      const error = await failed(calls[of]?.() ?? expect.unreachable());
      expect(error).toMatchObject({ retry: true });
      expect(refs()).toEqual(['2.2', '1.1']);
    },
  );

  it.each(['javascript:alert(1)', '', 'example.com'])(
    'has no address %j, which would be a link, and is asked for again',
    async (url) => {
      const api: ScalingoParts['api'] = async (request) => {
        const answer = await parts.api(request);
        return { ...answer, body: { app: { id: 'app-1', url } } };
      };
      const error = await failed(scalingoPlatform({ ...parts, api }).ensureApp(shop('1'), { name: 'shop' }));
      expect(error).toMatchObject({ code: 'deploy:platform:upload_tarball', retry: true });
      await platform.ensureApp(shop('1'), { name: 'shop' });
      expect((await parts.table.read(keys.app(shop('1'))))?.address).toMatch(/^http:/);
    },
  );
});

describe('the order of deploys on Scalingo', () => {
  it('has one deployment under way at a time, and the next one after it', async () => {
    await uploaded('1');
    await uploaded('2');
    app().isHeld = true;
    await platform.activate(shop('1'), undefined, 1);
    await platform.activate(shop('2'), undefined, 2);
    expect(await platform.poll(shop('2'))).toEqual({ state: 'building' });
    expect(refs()).toEqual(['1.1']);
    app().isHeld = false;
    await polled('1');
    await platform.activate(shop('2'), undefined, 2);
    expect(await polled('2')).toEqual({ state: 'ready' });
    expect(app().program?.version).toBe('2');
  });

  it('lets no older deploy replace a newer one, wherever it is by then', async () => {
    await uploaded('1');
    await uploaded('2');
    await deployed('3', 'runs', 3);
    await expect(platform.activate(shop('2'), undefined, 2)).rejects.toMatchObject({ retry: true });
    expect(app().program?.version).toBe('3');
    expect(refs()).toEqual(['3.1']);
  });

  it('deploys an older one when the newer was not built', async () => {
    await uploaded('1');
    await deployed('2', 'cannot be built', 2).catch(() => {});
    const { url } = await deployed('1', 'runs', 1);
    expect(await (await fetch(url)).text()).toBe('1');
  });

  it('starts what serves although a newer one is being deployed, and leaves that alone once it serves', async () => {
    await uploaded('1');
    await platform.activate(shop('1'), undefined, 1);
    await polled('1');
    await uploaded('2');
    app().isHeld = true;
    await platform.activate(shop('2'), undefined, 2);
    await platform.start(shop('1'), 1);
    app().isHeld = false;
    await polled('2');
    await expect(platform.start(shop('1'), 1)).rejects.toMatchObject({ retry: true });
    await platform.start(shop('2'), 2);
    expect(refs()).toEqual(['2.2', '1.1']);
  });

  it('goes back to an older snapshot from its archive, and a second message of what it replaced does nothing', async () => {
    await deployed('1', 'runs', 1);
    const { url } = await deployed('2', 'runs', 2);
    await platform.activate(shop('1'), undefined, 3);
    expect(await polled('1')).toEqual({ state: 'ready' });
    await platform.start(shop('1'), 3);
    await platform.activate(shop('2'), undefined, 2);
    expect(await (await fetch(url)).text()).toBe('1');
    expect(refs()).toEqual(['1.3', '2.2', '1.1']);
  });

  it('goes back after the deploy that is under way, which it overrules', async () => {
    await deployed('1', 'runs', 1);
    await uploaded('2');
    app().isHeld = true;
    await platform.activate(shop('2'), undefined, 2);
    await platform.activate(shop('1'), undefined, 3);
    expect(await platform.poll(shop('1'))).toEqual({ state: 'building' });
    app().isHeld = false;
    await platform.start(shop('1'), 3);
    expect(app().program?.version).toBe('1');
    expect(refs()).toEqual(['1.3', '2.2', '1.1']);
  });

  it('keeps what serves when an older snapshot cannot be built again, which can still be gone back to', async () => {
    await deployed('1', 'runs', 1);
    await deployed('2', 'runs', 2);
    const [key = ''] = [...objects.keys()];
    const archive = objects.get(key) ?? expect.unreachable();
    objects.set(key, await programTarball('shop', '1', 'cannot be built'));
    await platform.activate(shop('1'), undefined, 3);
    const reason = 'The build failed: no compiler here.';
    expect(await polled('1')).toMatchObject({ state: 'failed', reason });
    expect(app().program?.version).toBe('2');
    expect(await tableApplications(parts).snapshots(shop('1'))).toEqual(['1', '2']);
    objects.set(key, archive);
    await platform.activate(shop('1'), undefined, 4);
    expect(await polled('1')).toEqual({ state: 'ready' });
  });

  it('is asked for again when a deployment takes longer than a run of the stage', async () => {
    await deployed('1', 'runs', 1);
    await deployed('2', 'runs', 2);
    app().isHeld = true;
    const slow = scalingoPlatform({ ...parts, clock: jumpingClock() });
    const late = { code: 'deploy:platform:start_app', retry: true, retryAfter: 120 };
    await expect(slow.start(shop('1'), 3)).rejects.toMatchObject(late);
    app().isHeld = false;
    await platform.start(shop('1'), 3);
    expect(refs()).toEqual(['1.3', '2.2', '1.1']);
  });
});

describe('a stop and a restart on Scalingo', () => {
  it('starts the containers anew and deploys nothing', async () => {
    await deployed('1');
    await scalingoAppOperations(parts).restart(shop('1'));
    expect(scalingo.calls).toContain(`POST /v1/apps/${app().id}/restart`);
    expect(refs()).toHaveLength(1);
  });

  it('says why the containers did not start anew', async () => {
    await deployed('1');
    app().program = { version: '1', behaviour: 'does not start' };
    const error = await failed(scalingoAppOperations(parts).restart(shop('1')));
    expect(error).toMatchObject({ code: 'deploy:platform:start_app', retry: false });
    expect(error.detail).toContain('no database here');
  });

  it('waits for containers again that are still being started', async () => {
    await deployed('1');
    const operations = scalingoAppOperations({ ...parts, clock: jumpingClock() });
    app().status = 'restarting';
    const api: ScalingoParts['api'] = async (request) =>
      request.path.at(-1) === 'restart'
        ? { status: 202, body: undefined, text: '', location: null }
        : parts.api(request);
    const late = { code: 'deploy:platform:start_app', retry: true };
    await expect(
      scalingoAppOperations({ ...parts, api, clock: jumpingClock() }).restart(shop('1')),
    ).rejects.toMatchObject(late);
    await operations.restart(shop('1'));
    expect(app().status).toBe('running');
  });

  it('finds that a start which an earlier call has begun did not end well', async () => {
    await deployed('1');
    await scalingoAppOperations(parts).stop(shop('1'));
    app().formation.set('web', 1);
    const error = await failed(platform.start(shop('1')));
    expect(error).toMatchObject({ code: 'deploy:platform:start_app', retry: false });
    expect(app().formation.get('web')).toBe(0);
  });

  it('deploys what was stopped once more after it could not be built', async () => {
    await deployed('1');
    await scalingoAppOperations(parts).stop(shop('1'));
    await deployed('2', 'does not start').catch(() => {});
    const key = [...objects.keys()].find((one) => one.endsWith('/1.tgz')) ?? expect.unreachable();
    const archive = objects.get(key) ?? expect.unreachable();
    objects.set(key, await programTarball('shop', '1', 'cannot be built'));
    const error = await failed(scalingoAppOperations(parts).restart(shop('1')));
    expect(error).toMatchObject({ code: 'deploy:platform:start_app', detail: 'The build failed: no compiler here.' });
    objects.set(key, archive);
    const { url } = await scalingoAppOperations(parts).restart(shop('1'));
    expect(await (await fetch(url)).text()).toBe('1');
  });

  it('keeps the number of containers over a stop', async () => {
    await deployed('1');
    app().formation.set('web', 3);
    await scalingoAppOperations(parts).stop(shop('1'));
    expect(app().formation.get('web')).toBe(0);
    await scalingoAppOperations(parts).restart(shop('1'));
    expect(app().formation.get('web')).toBe(3);
  });

  it('waits for the deployment that is under way, and stops what that has started', async () => {
    await deployed('1', 'runs', 1);
    await uploaded('2');
    await platform.activate(shop('2'), undefined, 2);
    await scalingoAppOperations(parts).stop(shop('1'));
    expect(app()).toMatchObject({ status: 'stopped', program: { version: '2' } });
    await scalingoAppOperations(parts).restart(shop('1'));
    expect(app()).toMatchObject({ status: 'running', program: { version: '1' } });
  });

  it('is asked for again while a deployment takes long', async () => {
    await deployed('1', 'runs', 1);
    await uploaded('2');
    app().isHeld = true;
    await platform.activate(shop('2'), undefined, 2);
    const slow = scalingoAppOperations({ ...parts, clock: jumpingClock() });
    const late = { code: 'deploy:platform:start_app', retry: true };
    for (const operation of ['stop', 'restart', 'remove'] as const) {
      await expect(slow[operation](shop('1'))).rejects.toMatchObject(late);
    }
  });

  it('stays stopped when what is deployed then does not start', async () => {
    await deployed('1');
    await scalingoAppOperations(parts).stop(shop('1'));
    const error = await failed(deployed('2', 'does not start'));
    expect(error.detail).toContain('no database here');
    expect(app().formation.get('web')).toBe(0);
    expect(await tableApplications(parts).find(shop('1'))).toMatchObject({ state: 'stopped', snapshot: '1' });
    const { url } = await scalingoAppOperations(parts).restart(shop('1'));
    expect(await (await fetch(url)).text()).toBe('1');
  });
});

/** An API that loses the first call of a deployment: its request, or its answer. */
function losing({ api }: ScalingoParts, lost: 'request' | 'answer'): ScalingoParts['api'] {
  return async (request) => {
    const isDeployment = request.method === 'POST' && request.path.at(-1) === 'deployments';
    if (!isDeployment) return api(request);
    if (lost === 'answer') await api(request);
    throw new DeployError(request.code, 'Scalingo did not answer; try again.', { retry: true });
  };
}

/** An API that refuses a deployment and quotes the address of its archive. */
function refusing({ api }: ScalingoParts): ScalingoParts['api'] {
  return async (request) => {
    if (request.method !== 'POST' || request.path.at(-1) !== 'deployments') return api(request);
    const { deployment } = request.json as { readonly deployment: { readonly source_url: string } };
    throw new DeployError(request.code, `Scalingo refused ${deployment.source_url}`, { retry: false });
  };
}
