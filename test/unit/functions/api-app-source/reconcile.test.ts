import { beforeEach, describe, expect, it } from 'vitest';
import { DeployError } from '../../../../functions/core/errors.ts';
import { append, MINUTE, repository } from '../../../support/entries.ts';
import { type AppsWorld, appsWorld } from '../../../support/worlds/apps-world.ts';

let world: AppsWorld;

beforeEach(() => {
  world = appsWorld();
});

const reconcile = (headers: Record<string, string> = {}, application = 'shop') =>
  world.ask('POST', '/1/apps/{user}/{application}/reconcile', { params: { user: 'ann', application }, headers });

/** An application whose pushes to `master` deploy it, and a commit that is the tip by now. */
async function pushed(): Promise<string> {
  await append(world.log, {}, { isTip: true });
  const { host, owner, name } = repository;
  await world.log.ownApp('ann', 'shop', { host, owner, name, branch: 'master' });
  const commit = world.host.commit({ owner, name, files: { 'package.json': '{}' } });
  world.host.branch(commit, 'master');
  return commit.sha;
}

describe('POST /1/apps/<user>/<application>/reconcile', () => {
  it('answers with the entry of the commit that no webhook has brought', async () => {
    const sha = await pushed();
    const { status, headers, body } = await reconcile();
    expect([status, headers?.location]).toEqual([202, body.id]);
    expect(body).toMatchObject({ provider: 'reconciled', status: 'queued', commit: `ann/shop/${sha}` });
    expect(world.queue.sent).toMatchObject([{ number: 2, stage: 'check' }]);
    expect(await world.log.read('ann', 2)).toMatchObject({ base: world.request.base, uuid: world.request.uuid });
  });

  it('names the API token of the request in the entry', async () => {
    await pushed();
    const params = { user: 'ann', application: 'shop' };
    await world.ask('POST', '/1/apps/{user}/{application}/reconcile', { params, token: { name: 'laptop' } });
    expect(await world.log.read('ann', 2)).toMatchObject({ token: 'laptop' });
  });

  it('says why when nothing was missed, and the schedule does not look again at once', async () => {
    const sha = await pushed();
    await reconcile();
    const { status, body } = await reconcile();
    expect(status).toBe(200);
    const reason = 'The tip of master is known: nothing was missed.';
    expect(body).toEqual({ app_name: 'shop', branch: 'master', tip: sha, reason });
    expect(await world.log.toCompare(world.clock.now() + MINUTE, 10)).toEqual([]);
  });

  it('answers as a webhook call with Prefer: wait does', async () => {
    await pushed();
    const { headers } = await reconcile({ prefer: 'wait=1' });
    expect(headers).toMatchObject({ 'preference-applied': 'wait=1' });
  });

  it('fails as the repository host does, without an entry', async () => {
    await pushed();
    world.host.failWith('tip', new DeployError('deploy:repohost:no_pkg_json', 'down'));
    await expect(reconcile()).rejects.toMatchObject({ code: 'deploy:repohost:no_pkg_json' });
    expect((await world.log.page({ user: 'ann', app: null, skip: 0, limit: 9 })).total).toBe(1);
  });

  it('is not found for an application that no push has deployed', async () => {
    await expect(reconcile({}, 'other')).rejects.toMatchObject({ code: 'status:db:not_found' });
  });
});
