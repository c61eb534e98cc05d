import { beforeEach, describe, expect, it } from 'vitest';
import { type AppsWorld, appsWorld } from '../../../support/worlds/apps-world.ts';

let world: AppsWorld;

beforeEach(async () => {
  world = appsWorld();
  await world.deployed('shop');
});

const ref = { user: 'ann', app: 'shop' };
const bytes = (text: string) => ({ body: new TextEncoder().encode(text) });
const start = (body: string, application = 'shop') =>
  world.ask('POST', '/1/apps/{user}/{application}/runs', { params: { user: 'ann', application }, ...bytes(body) });
const write = (run: string, body: string) =>
  world.ask('POST', '/1/apps/{user}/{application}/runs/{run}', {
    params: { user: 'ann', application: 'shop', run },
    ...bytes(body),
  });

describe('/1/apps/<user>/<application>/runs', () => {
  it('starts a command, and sends it input and its end', async () => {
    const { status, body } = await start('{"command":["echo","a"]}');
    expect([status, body]).toEqual([201, { id: '0' }]);
    expect((await write('0', '{"data":"Yg==","end":true}')).status).toBe(204);

    const said: unknown[] = [];
    for await (const batch of (await world.ports.runs.read(ref, '0', new AbortController().signal)) ?? [])
      said.push(...batch);
    expect(said).toEqual([
      { stream: 'stdout', data: 'YQ==' },
      { stream: 'stdout', data: 'Yg==' },
      { exit: 0, reason: null },
    ]);
  });

  it.each([
    ...['', '{}', '{"command":"echo"}', '{"command":[]}', '{"command":[""]}', '{"command":[1]}'],
    '{"command":["echo","\\u0000"]}',
  ])('starts nothing for %j', async (body) => {
    await expect(start(body)).rejects.toMatchObject({ code: 'request:bad_parameter' });
  });

  it.each(['{"data":1}', '{"end":"yes"}', '{"signal":"SIGSTOP"}'])('sends nothing of %j', async (body) => {
    await start('{"command":["echo"]}');
    await expect(write('0', body)).rejects.toMatchObject({ code: 'request:bad_parameter' });
  });

  it('knows no command of another application, and none that has gone', async () => {
    await expect(start('{"command":["echo"]}', 'none')).rejects.toMatchObject({ code: 'status:db:not_found' });
    await expect(write('7', '{"end":true}')).rejects.toMatchObject({ code: 'status:db:not_found' });
  });
});
