import { beforeEach, describe, expect, it } from 'vitest';
import type { HttpRequest } from '../../../../functions/api/http.ts';
import { type AppsWorld, appsWorld } from '../../../support/worlds/apps-world.ts';

const canary = 'canary-value-81d2f0';
const shop = { user: 'ann', app: 'shop' };
let world: AppsWorld;

beforeEach(() => {
  world = appsWorld();
});

function env(method: string, variable: string | null, patch: Partial<HttpRequest> = {}, application = 'shop') {
  const params = { user: 'ann', application, ...(variable !== null && { variable }) };
  const resource = `/1/apps/{user}/{application}/env${variable === null ? '' : '/{variable}'}`;
  return world.ask(method, resource, { params, ...patch });
}

const json = (value: unknown) => ({ body: new TextEncoder().encode(JSON.stringify(value)) });

describe('PUT /1/apps/<user>/<application>/env/<variable>', () => {
  it.each([
    ['an object', { value: canary }],
    ['a string', canary],
  ])('sets the value in %s and restarts the application, which an entry without the value records', async (_, body) => {
    await world.deployed('shop');
    const answer = await env('PUT', 'TOKEN', json(body));
    expect(answer).toMatchObject({ status: 200, headers: { 'cache-control': 'no-store' }, body: { name: 'TOKEN' } });
    expect(answer.body.restart).toMatchObject({ operation: 'restart', status: 'queued', provider: 'manual' });
    expect(world.platform.app(shop)?.variables).toEqual({ TOKEN: canary });
    expect(world.queue.sent).toMatchObject([{ number: 2, stage: 'start' }]);
    expect(await world.log.read('ann', 2)).toMatchObject({ message: 'The variable TOKEN was changed' });
    expect(JSON.stringify([answer, await world.log.changes('ann', 0, 100)])).not.toContain(canary);
  });

  it('does not restart with restart=false, nor an application that is stopped or asleep', async () => {
    await world.deployed('shop');
    const quiet = await env('PUT', 'ONE', { ...json('1'), query: { restart: 'false' } });
    expect(quiet.body).toEqual({ name: 'ONE', restart: null });
    world.platform.write(shop, { state: 'stopped' });
    expect((await env('PUT', 'TWO', json('2'))).body).toEqual({ name: 'TWO', restart: null });
    world.platform.write(shop, { state: 'asleep' });
    expect((await env('PUT', 'THREE', json('3'))).body).toEqual({ name: 'THREE', restart: null });
    expect(world.queue.sent).toEqual([]);
    expect(world.platform.app(shop)?.variables).toEqual({ ONE: '1', TWO: '2', THREE: '3' });
  });

  it('makes an application that was never deployed', async () => {
    const answer = await env('PUT', 'TOKEN', json('1'), '@ann/shop');
    expect(answer).toMatchObject({ status: 201, body: { name: 'TOKEN', restart: null } });
    const params = { user: 'ann', application: 'ann-shop' };
    const { body } = await world.ask('GET', '/1/apps/{user}/{application}', { params });
    expect(body).toMatchObject({ name: '@ann/shop', app: 'ann-shop', state: 'never' });
  });

  it.each(['', '1A', 'A-B', 'Ä', `A${'B'.repeat(128)}`, '__proto__ '])('refuses the name %j', async (name) => {
    await expect(env('PUT', name, json('1'))).rejects.toMatchObject({ code: 'request:bad_parameter' });
  });

  it('keeps a variable with the name of a property of every object', async () => {
    await env('PUT', 'constructor', json('1'));
    await env('PUT', 'SHOWN', json('2'));
    expect((await env('GET', null)).body).toEqual({ env: { SHOWN: null, constructor: null } });
  });

  it.each([
    ['nothing', ''],
    ['no JSON', canary],
    ['a number', '7'],
    ['null', 'null'],
    ['an object without a value', '{}'],
    ['a value that is no string', '{"value": 7}'],
    ['a NUL', '"a\\u0000b"'],
  ])('refuses a body with %s, and does not quote it', async (_what, text) => {
    const refusal = await env('PUT', 'TOKEN', { body: new TextEncoder().encode(text) }).catch((error) => error);
    expect(refusal).toMatchObject({ code: 'request:bad_parameter' });
    expect(refusal.detail).not.toContain(canary);
  });

  it('refuses bytes that are not UTF-8, and a body that is too large', async () => {
    const broken = env('PUT', 'TOKEN', { body: Uint8Array.of(0x22, 0xff, 0x22) });
    await expect(broken).rejects.toMatchObject({ code: 'request:bad_parameter' });
    const large = env('PUT', 'TOKEN', json('x'.repeat(300_000)));
    await expect(large).rejects.toMatchObject({ code: 'request:too_large' });
  });

  it('refuses a restart that is neither true nor false', async () => {
    const asked = env('PUT', 'TOKEN', { ...json('1'), query: { restart: 'maybe' } });
    await expect(asked).rejects.toMatchObject({ code: 'request:bad_parameter' });
    expect(world.platform.app(shop)).toBeUndefined();
  });
});

describe('PATCH /1/apps/<user>/<application>/env?previews=true', () => {
  it('marks for previews what it sets, and unmarks what it removes', async () => {
    await world.deployed('shop');
    const query = { restart: 'false' };
    await env('PATCH', null, { ...json({ OWN: '1' }), query });
    await env('PATCH', null, { ...json({ A: '1', B: '2' }), query: { ...query, previews: 'true' } });
    expect(world.platform.app(shop)?.variables).toEqual({ OWN: '1', A: '1', B: '2', PREVIEW_VARIABLES: 'A,B' });
    const answer = await env('PATCH', null, { ...json({ A: null, C: '3' }), query: { ...query, previews: 'true' } });
    expect(answer.body).toEqual({ names: ['A', 'C'], restart: null });
    expect(world.platform.app(shop)?.variables).toEqual({ OWN: '1', B: '2', C: '3', PREVIEW_VARIABLES: 'B,C' });
    await env('PATCH', null, { ...json({ B: null, C: null }), query: { ...query, previews: 'true' } });
    expect(world.platform.app(shop)?.variables).toEqual({ OWN: '1' });
  });

  it('keeps the marks of two that come at once', async () => {
    await world.deployed('shop');
    const query = { restart: 'false', previews: 'true' };
    await Promise.all(['A', 'B'].map((name) => env('PATCH', null, { ...json({ [name]: '1' }), query })));
    const names = world.platform.app(shop)?.variables.PREVIEW_VARIABLES?.split(',').sort();
    expect(names).toEqual(['A', 'B']);
  });

  it('makes an application that was never deployed, with its marks', async () => {
    await env('PUT', 'A', { ...json('1'), query: { previews: 'true' } });
    expect(world.platform.app(shop)?.variables).toEqual({ A: '1', PREVIEW_VARIABLES: 'A' });
  });
});

describe('PATCH /1/apps/<user>/<application>/env', () => {
  it('sets and removes several variables with one restart, whose entry names them without values', async () => {
    await world.deployed('shop');
    await env('PATCH', null, { ...json({ OLD: '1', KEPT: '2' }), query: { restart: 'false' } });
    const answer = await env('PATCH', null, json({ TOKEN: canary, OLD: null, ABSENT: null }));
    expect(answer).toMatchObject({ status: 200, body: { names: ['ABSENT', 'OLD', 'TOKEN'] } });
    expect(answer.body.restart).toMatchObject({ operation: 'restart', status: 'queued' });
    expect(world.platform.app(shop)?.variables).toEqual({ KEPT: '2', TOKEN: canary });
    expect(world.queue.sent).toHaveLength(1);
    expect(await world.log.read('ann', 2)).toMatchObject({
      message: 'The variables TOKEN, OLD, ABSENT were changed',
    });
    expect(JSON.stringify([answer, await world.log.changes('ann', 0, 100)])).not.toContain(canary);
  });

  it('says how many more there are than it names', async () => {
    await world.deployed('shop');
    await env('PATCH', null, json(Object.fromEntries([...'ABCDEFG'].map((name) => [name, '1']))));
    expect(await world.log.read('ann', 2)).toMatchObject({
      message: 'The variables A, B, C, D, E and 2 more were changed',
    });
  });

  it('makes an application that was never deployed, unless there is nothing to set', async () => {
    await expect(env('PATCH', null, json({ A: null }))).rejects.toMatchObject({ code: 'status:db:not_found' });
    expect(world.platform.app(shop)).toBeUndefined();
    expect(await env('PATCH', null, json({ A: '1' }))).toMatchObject({
      status: 201,
      body: { names: ['A'], restart: null },
    });
    expect(world.platform.app(shop)?.variables).toEqual({ A: '1' });
  });

  it.each([
    ['nothing', ''],
    ['a list', '["A"]'],
    ['no variable', '{}'],
    ['a number', `{"A": "${canary}", "B": 7}`],
    ['a NUL', `{"A": "${canary}\\u0000"}`],
    ['a bad name', `{"A": "${canary}", "B-C": "1"}`],
    ['a name that the platform sets', `{"A": "${canary}", "PORT": "1"}`],
  ])('changes nothing for a body with %s, and does not quote it', async (_what, text) => {
    await world.deployed('shop');
    const refusal = await env('PATCH', null, { body: new TextEncoder().encode(text) }).catch((error) => error);
    expect(refusal).toMatchObject({ code: 'request:bad_parameter' });
    expect(refusal.detail).not.toContain(canary);
    expect(world.platform.app(shop)?.variables).toEqual({});
    expect(world.queue.sent).toEqual([]);
  });
});

describe('GET /1/apps/<user>/<application>/env', () => {
  it('lists the names, and the values on request only', async () => {
    await env('PUT', 'B', json('2'));
    await env('PUT', 'A', json(canary));
    const { body } = await env('GET', null);
    expect(JSON.stringify(body)).toBe('{"env":{"A":null,"B":null}}');
    expect((await env('GET', null, { query: { values: 'true' } })).body).toEqual({
      env: { A: canary, B: '2' },
    });
  });

  it('is not found for an unknown application', async () => {
    await expect(env('GET', null)).rejects.toMatchObject({ code: 'status:db:not_found' });
  });
});

describe('DELETE /1/apps/<user>/<application>/env/<variable>', () => {
  it('removes the variable and restarts the application', async () => {
    await world.deployed('shop');
    await env('PUT', 'TOKEN', { ...json('1'), query: { restart: 'false' } });
    const { body } = await env('DELETE', 'TOKEN');
    expect(body).toMatchObject({ name: 'TOKEN', restart: { operation: 'restart' } });
    expect(world.platform.app(shop)?.variables).toEqual({});
  });

  it('is not found when there is no such variable or application', async () => {
    await world.deployed('shop');
    await expect(env('DELETE', 'TOKEN')).rejects.toMatchObject({ code: 'status:db:not_found' });
    await expect(env('DELETE', 'TOKEN', {}, 'cart')).rejects.toMatchObject({ code: 'status:db:not_found' });
    expect(world.queue.sent).toEqual([]);
  });
});
