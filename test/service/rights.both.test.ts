import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { basicHeader } from '../../functions/core/basic-auth.ts';
import { application, entryAddress } from '../support/service/git-folder.ts';
import {
  isStack,
  repositories,
  type ServiceUnderTest,
  type Started,
  startForTest,
} from '../support/service/started.ts';

const JSON_TYPE = { 'content-type': 'application/json' };

describe('an API token', () => {
  let started: Started<ServiceUnderTest>;
  const repository = repositories(() => started);
  const made = new Map<string, string>();

  beforeAll(async () => {
    started = await startForTest('rights', { reconcileMinutes: 0 });
    for (const rights of ['read', 'deploy']) {
      const body = JSON.stringify({ name: `may ${rights}`, rights });
      const answer = await started.call('/1/auth/tokens', { method: 'POST', headers: JSON_TYPE, body });
      expect(answer.body).toMatchObject({ name: `may ${rights}`, rights });
      made.set(rights, answer.body.token);
    }
  });
  afterAll(async () => {
    await started?.close();
  });

  const as = (rights: string, path: string, method = 'GET') =>
    started.call(path, { method, login: `demo:${made.get(rights)}` });

  it('with limited rights is refused what is beyond them, and is named by the entries that it makes', async () => {
    const tree = await repository('shop');
    tree.commit(application('shop', 'up'));
    const { doc } = await started.until(entryAddress(await tree.push()), 'ok', 'error');
    expect(doc).not.toHaveProperty('token');

    const shop = '/1/apps/demo/shop';
    expect((await as('read', shop)).status).toBe(200);
    for (const [rights, path] of [
      ['read', `${shop}/redeploy`],
      ['deploy', `${shop}/restart`],
    ] as const) {
      const refused = await as(rights, path, 'POST');
      expect(refused).toMatchObject({ status: 403, body: { code: 'request:forbidden' } });
      expect(refused.body.detail).toContain(`The API token may ${rights} may only`);
    }
    expect(await as('read', `${shop}/env?values=true`)).toMatchObject({ status: 403 });
    expect(await as('read', `${shop}/env`)).toMatchObject({ status: 200, body: { env: {} } });

    const again = await as('deploy', `${shop}/redeploy`, 'POST');
    expect(again.status).toBe(202);
    expect((await started.until(again.body.id, 'ok', 'error')).doc).toMatchObject({ token: 'may deploy' });
    const listed = await as('read', '/1/auth/tokens');
    expect(listed.body.tokens.map(({ name, rights }: { name: string; rights?: string }) => [name, rights])).toEqual(
      ['read', 'deploy'].map((rights) => [`may ${rights}`, rights]),
    );
  });

  it.skipIf(isStack)('that may read fetches, and does not push; one that may deploy is named by its push', async () => {
    const { repoHost } = started.service;
    const tree = await repository('pushed');
    const sha = tree.commit(application('pushed', 'up'));
    const remote = (rights: string) => repoHost.cloneUrl('demo', 'pushed').replace('//', `//demo:${made.get(rights)}@`);
    const gets = async (service: string) => {
      const headers = { authorization: basicHeader(`demo:${made.get('read')}`) };
      const answer = await fetch(`${repoHost.cloneUrl('demo', 'pushed')}/info/refs?service=git-${service}`, {
        headers,
      });
      return [answer.status, (await answer.text()).includes('may only read')];
    };
    expect(await gets('receive-pack')).toEqual([403, true]);
    tree.git('remote', 'set-url', 'origin', remote('deploy'));
    const entry = await started.until(entryAddress(await tree.push()), 'ok', 'error');
    expect(entry).toMatchObject({ commit: `demo/pushed/${sha}`, provider: 'git', doc: { token: 'may deploy' } });
    expect(await gets('upload-pack')).toEqual([200, false]);
  });

  it('that is revoked is refused at once', async () => {
    await started.call(`/1/auth/tokens/${encodeURIComponent('may deploy')}`, { method: 'DELETE' });
    expect(await as('deploy', '/1/apps/demo/shop/redeploy', 'POST')).toMatchObject({ status: 401 });
  });
});
