import { beforeEach, describe, expect, it } from 'vitest';
import { awsLambda } from '../../../../functions/adapters/platform/aws-lambda/platform.ts';
import { systemClock } from '../../../../functions/adapters/system/clock.ts';
import { type AppsWorld, appsWorld } from '../../../support/worlds/apps-world.ts';

let world: AppsWorld;

beforeEach(async () => {
  world = appsWorld();
  await world.deployed('shop');
});

function ask(method: string, body: string | null = null, application = 'shop') {
  const params = { user: 'ann', application };
  const sent = body === null ? {} : { body: new TextEncoder().encode(body) };
  return world.ask(method, '/1/apps/{user}/{application}/processes', { params, ...sent });
}

describe('/1/apps/<user>/<application>/processes', () => {
  it('lists the processes, and changes how many run', async () => {
    expect((await ask('GET')).body.processes).toMatchObject([{ name: 'web.1' }, { name: 'worker.1' }]);

    const scaled = await ask('PATCH', '{"worker":2}');

    expect(scaled).toMatchObject({ status: 200, headers: { 'cache-control': 'no-store' } });
    expect(scaled.body.scale).toEqual({ web: 1, worker: 2 });
    expect((await ask('GET')).body.processes).toHaveLength(3);
  });

  it('web may be auto', async () => {
    expect((await ask('PATCH', '{"web":"auto"}')).body.scale).toEqual({ web: 'auto', worker: 1 });
  });

  it.each(['', '{}', '[2]', '{"worker":"2"}', '{"web":"Auto"}', '{"worker":'])(
    'refuses a change of %j',
    async (body) => {
      await expect(ask('PATCH', body)).rejects.toMatchObject({ code: 'request:bad_parameter' });
    },
  );

  it('refuses a body that is too long, and an unknown application', async () => {
    await expect(ask('PATCH', `{"${'x'.repeat(65_536)}":1}`)).rejects.toMatchObject({ code: 'request:too_large' });
    await expect(ask('GET', null, 'none')).rejects.toMatchObject({ code: 'status:db:not_found' });
    await expect(ask('PATCH', '{"worker":1}', 'none')).rejects.toMatchObject({ code: 'status:db:not_found' });
  });

  it('says in one sentence that AWS Lambda scales none', async () => {
    const ref = { user: 'ann', app: 'shop' };
    const refused = { code: 'request:not_supported', detail: expect.stringContaining('AWS Lambda') };
    const processes = await awsLambda(systemClock).processes();
    await expect(processes.scale(ref, {})).rejects.toMatchObject(refused);
  });
});
