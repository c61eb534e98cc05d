import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { tableAppEvents } from '../../../../../../functions/adapters/platform/in-table/app-events.ts';
import { tableApplications } from '../../../../../../functions/adapters/platform/in-table/applications.ts';
import { scalingoBuildOutput } from '../../../../../../functions/adapters/platform/scalingo/build/build-output.ts';
import { scalingoName } from '../../../../../../functions/adapters/platform/scalingo/ensure-app.ts';
import { scalingoPlatform } from '../../../../../../functions/adapters/platform/scalingo/hosting.ts';
import type { ScalingoParts } from '../../../../../../functions/adapters/platform/scalingo/parts.ts';
import { scalingoAppHealth } from '../../../../../../functions/adapters/platform/scalingo/run/app-health.ts';
import { scalingoAppOutput } from '../../../../../../functions/adapters/platform/scalingo/run/app-output.ts';
import { scalingoAppVariables } from '../../../../../../functions/adapters/platform/scalingo/run/app-variables.ts';
import { scalingoAppOperations } from '../../../../../../functions/adapters/platform/scalingo/run/operations.ts';
import { uploadOf } from '../../../../../contracts/hosting-platform.ts';
import type { FakeScalingo } from '../../../../../fakes/scalingo/server.ts';
import type { FakeApp } from '../../../../../fakes/scalingo/state.ts';
import { programTarball } from '../../../../../support/platform/heroku.ts';
import { interrupted } from '../../../../../support/platform/interrupted.ts';
import { deployOn, openScalingo } from '../../../../../support/platform/scalingo.ts';

const shop = (snapshot: string) => ({ user: 'kiwi', app: 'shop', snapshot });
const name = scalingoName('tests', shop('1'));
const { signal } = new AbortController();

let scalingo: FakeScalingo;
let parts: ScalingoParts;

beforeEach(async () => {
  ({ scalingo, parts } = await openScalingo());
});
afterEach(() => scalingo.close());

const app = (): FakeApp => scalingo.api.apps.get(name) ?? expect.unreachable();
const events = async () => (await tableAppEvents(parts.table).after(0)).events;
const stateNow = async () => (await tableApplications(parts).find(shop('1')))?.state;

async function linesOf(output: AsyncIterable<readonly { readonly line: string }[]> | null): Promise<string[]> {
  const lines: string[] = [];
  for await (const batch of output ?? []) lines.push(...batch.map(({ line }) => line));
  return lines;
}

describe('the watch over applications on Scalingo', () => {
  it.each(['crashed', 'stopped'])(
    'finds one that is %s although it has containers, with the reason',
    async (status) => {
      await deployOn(parts, shop('1'));
      await scalingoAppVariables(parts).set(shop('1'), 'PASSWORD', 'database');
      app().status = status;
      app().print('web-1', 'Error: no database here');
      await scalingoAppHealth(parts).recheck();
      expect(await stateNow()).toBe('crashed');
      const reason = 'The application crashed and does not start again: Error: no *** here.';
      expect(await events()).toMatchObject([{ state: 'crashed', reason, log: ['Error: no *** here'] }]);
    },
  );

  it('finds that it answers again', async () => {
    await deployOn(parts, shop('1'));
    app().status = 'crashed';
    await scalingoAppHealth(parts).recheck();
    app().status = 'running';
    await scalingoAppHealth(parts).recheck();
    expect(await stateNow()).toBe('running');
    expect(await events()).toMatchObject([{ state: 'running', reason: null }]);
  });

  it('tells of both, also when its worker is killed between the two writes', async () => {
    await deployOn(parts, shop('1'));
    for (const [status, state] of [
      ['crashed', 'crashed'],
      ['running', 'running'],
    ] as const) {
      app().status = status;
      await expect(scalingoAppHealth(interrupted(parts)).recheck()).rejects.toThrow();
      await scalingoAppHealth(parts).recheck();
      expect([await stateNow(), await events()]).toMatchObject([state, [{ state }]]);
    }
  });

  it('is over after a restart, also when its worker is killed between the two writes', async () => {
    await deployOn(parts, shop('1'));
    app().status = 'crashed';
    await scalingoAppHealth(parts).recheck();
    app().status = 'running';
    await expect(scalingoAppOperations(interrupted(parts)).restart(shop('1'))).rejects.toThrow();
    await scalingoAppOperations(parts).restart(shop('1'));
    expect([await stateNow(), await events()]).toMatchObject(['running', [{ state: 'running' }]]);
  });

  it('leaves alone what is stopped, here or at Scalingo, is being changed, or was deleted there', async () => {
    await deployOn(parts, shop('1'));
    for (const status of ['restarting', 'booting', 'scaling']) {
      app().status = status;
      await scalingoAppHealth(parts).recheck();
    }
    Object.assign(app(), { status: 'stopped' }).formation.set('web', 0);
    await scalingoAppHealth(parts).recheck();
    scalingo.api.apps.delete(name);
    await scalingoAppHealth(parts).recheck();
    expect([await stateNow(), await events()]).toEqual(['running', []]);
  });

  it('is over when one that has crashed is deployed again', async () => {
    await deployOn(parts, shop('1'));
    app().status = 'crashed';
    await scalingoAppHealth(parts).recheck();
    await deployOn(parts, shop('2'));
    expect(await events()).toMatchObject([{ snapshot: '2', state: 'running' }]);
  });
});

describe('the variables of an application on Scalingo', () => {
  it.each(['1A', 'A-B', '', 'PORT', 'CONTAINER_SIZE', 'X'.repeat(65)])('cannot be named %j', async (variable) => {
    const variables = scalingoAppVariables(parts);
    await variables.create(shop('1'), 'shop');
    await expect(variables.set(shop('1'), variable, 'x')).rejects.toMatchObject({ code: 'request:bad_parameter' });
    expect(app().variables.size).toBe(0);
  });

  it('have values that Scalingo takes, or else its sentence is told', async () => {
    const variables = scalingoAppVariables(parts);
    await variables.create(shop('1'), 'shop');
    const large = { code: 'request:too_large', detail: expect.stringContaining('32768') };
    await expect(variables.set(shop('1'), 'LARGE', 'x'.repeat(32_769))).rejects.toMatchObject(large);
    await expect(variables.set(shop('1'), 'NUL', '\0')).rejects.toMatchObject({ code: 'request:bad_parameter' });
    const refusing: ScalingoParts['api'] = async (request) =>
      request.method === 'PUT'
        ? { status: 422, body: { errors: { value: ["can't be blank"] } }, text: '', location: null }
        : parts.api(request);
    const refused = { code: 'request:bad_parameter', detail: expect.stringContaining("value can't be blank") };
    const call = scalingoAppVariables({ ...parts, api: refusing }).set(shop('1'), 'EMPTY', '');
    await expect(call).rejects.toMatchObject(refused);
  });

  it('have 64 KB together, so that their list is one answer', async () => {
    const variables = scalingoAppVariables(parts);
    await variables.create(shop('1'), 'shop');
    for (const variable of ['A', 'B']) await variables.set(shop('1'), variable, 'x'.repeat(32_000));
    const large = { code: 'request:too_large', detail: expect.stringContaining('larger than the limit of 64 KB') };
    await expect(variables.set(shop('1'), 'C', 'x'.repeat(32_000))).rejects.toMatchObject(large);
    await variables.set(shop('1'), 'A', 'short');
    await expect(variables.set(shop('1'), 'C', 'x'.repeat(32_000))).resolves.toBe(true);
  });

  it('are not in the table', async () => {
    await deployOn(parts, shop('1'));
    await scalingoAppVariables(parts).set(shop('1'), 'PASSWORD', 'secret of the database');
    expect(JSON.stringify(await parts.table.scan(''))).not.toContain('secret of the database');
  });
});

describe('the output of an application on Scalingo', () => {
  it('has the lines of containers as stdout and those of Scalingo as platform, in their order, without its router', async () => {
    await deployOn(parts, shop('1'));
    app().print('router', 'method=GET path="/"');
    app().print('web-1', '[info] listening');
    app().log.push('2015-02-16 03:02:43.930163178 +0100 CET [one-off-12] long ago', 'no line of a log');
    const all: unknown[] = [];
    const output = await scalingoAppOutput(parts).read(shop('1'), { lines: 100, follow: false }, signal);
    for await (const batch of output ?? []) all.push(...batch);
    expect(all[0]).toEqual({ at: '2015-02-16T02:02:43.930Z', stream: 'stdout', line: 'long ago' });
    expect(all).toContainEqual({ at: expect.any(String), stream: 'stdout', line: '[info] listening' });
    expect(all).toContainEqual(expect.objectContaining({ stream: 'platform', line: expect.stringMatching('started') }));
    expect(JSON.stringify(all)).not.toContain('GET');
  });

  it('follows what comes after the lines that were there, each once', async () => {
    await deployOn(parts, shop('1'));
    // The last line must be this one, and not the note about the start.
    await new Promise((resolve) => setTimeout(resolve, 2));
    app().print('web-1', 'before');
    const stop = new AbortController();
    const output = await scalingoAppOutput(parts).read(shop('1'), { lines: 1, follow: true }, stop.signal);
    const seen: string[] = [];
    const reading = (async () => {
      for await (const batch of output ?? []) seen.push(...batch.map(({ line }) => line));
    })();
    await expect.poll(() => app().readers.size).toBe(1);
    await new Promise((resolve) => setTimeout(resolve, 2));
    app().print('web-1', 'after');
    await expect.poll(() => seen).toContain('after');
    stop.abort();
    await reading;
    expect(seen.filter((line) => line === 'before' || line === 'after')).toEqual(['before', 'after']);
  });

  it('is empty where there is no log yet', async () => {
    await scalingoAppVariables(parts).create(shop('1'), 'shop');
    const none: typeof fetch = async () => new Response(null, { status: 204 });
    const output = scalingoAppOutput({ ...parts, fetch: none });
    expect(await linesOf(await output.read(shop('1'), { lines: 5, follow: false }, signal))).toEqual([]);
  });

  it('fails without the address of the log, which is a secret', async () => {
    await deployOn(parts, shop('1'));
    const broken: typeof fetch = async (address) => {
      throw new TypeError(`fetch failed: ${String(address)}`);
    };
    const output = scalingoAppOutput({ ...parts, fetch: broken });
    const error = await linesOf(await output.read(shop('1'), { lines: 5, follow: false }, signal)).catch(
      (thrown: Error) => thrown,
    );
    expect(error).toMatchObject({ code: 'request:failed', retry: true });
    expect(String((error as Error).message) + String((error as Error).cause)).not.toContain('token=');
  });
});

describe('the build log of a snapshot on Scalingo', () => {
  async function building(): Promise<void> {
    const platform = scalingoPlatform(parts);
    await platform.ensureApp(shop('1'), { name: 'shop' });
    await platform.upload(shop('1'), uploadOf(await programTarball('shop', '1', 'cannot be built')));
    await platform.activate(shop('1'));
  }

  it('is followed until the deployment is over, each line once', async () => {
    await building();
    const following = linesOf(await scalingoBuildOutput(parts).read(shop('1'), true, signal));
    while ((await scalingoPlatform(parts).poll(shop('1'))).state === 'building');
    const lines = await following;
    expect(lines.filter((line) => line === '       no compiler here')).toHaveLength(1);
    expect(lines[0]).toBe(' Fetching source code');
  });

  it('is what has been printed so far without follow, without the address of the archive', async () => {
    await building();
    app().deployments[0]?.output.push('from https://bucket.s3.amazonaws.com/a.tgz?X-Amz-Signature=abc now');
    const lines = await linesOf(await scalingoBuildOutput(parts).read(shop('1'), false, signal));
    expect(lines).toEqual([' Fetching source code', 'from <archive> now']);
  });

  it('is null for a snapshot that is not there, and ends when its reader goes', async () => {
    expect(await scalingoBuildOutput(parts).read(shop('9'), true, signal)).toBeNull();
    await building();
    const gone = new AbortController();
    const lines: string[] = [];
    for await (const batch of (await scalingoBuildOutput(parts).read(shop('1'), true, gone.signal)) ?? []) {
      lines.push(...batch.map(({ line }) => line));
      gone.abort();
    }
    expect(lines).toEqual([' Fetching source code']);
  });

  it('waits for a snapshot whose deployment has not begun, and has nothing of it without follow', async () => {
    const platform = scalingoPlatform(parts);
    await platform.ensureApp(shop('1'), { name: 'shop' });
    await platform.upload(shop('1'), uploadOf(await programTarball('shop', '1', 'runs')));
    expect(await linesOf(await scalingoBuildOutput(parts).read(shop('1'), false, signal))).toEqual([]);
    const following = linesOf(await scalingoBuildOutput(parts).read(shop('1'), true, signal));
    await scalingoAppOperations(parts).remove(shop('1'));
    expect(await following).toEqual([]);
  });
});
