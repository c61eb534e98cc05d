import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { application, entryAddress, type GitFolder, gitFolder } from '../support/service/git-folder.ts';
import { type Started, startForTest } from '../support/service/started.ts';

const canary = 'canary-token-5f0e91b2c7';

describe('pairing, on one machine', () => {
  let started: Started;
  let tree: GitFolder;
  const answers: unknown[] = [];

  const ask = async (method: string, path: string, credentials?: string, login?: string) => {
    const answer = await started.call(path, {
      method,
      ...(credentials !== undefined && {
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ credentials }),
      }),
      ...(login !== undefined && { login }),
    });
    answers.push([...answer.headers], answer.body);
    return answer;
  };
  const push = async (text: string) => {
    const sha = tree.commit(application('hidden', text));
    return { sha, entry: await started.until(entryAddress(await tree.push()), 'ok', 'error') };
  };

  beforeAll(async () => {
    started = await startForTest('pairing');
    const { repoHost } = started.service;
    await repoHost.createRepository('demo', 'hidden', { private: true });
    await repoHost.createToken({ login: 'demo', secret: canary });
    tree = gitFolder(repoHost.repositoryPath('demo', 'hidden'));
  });
  afterAll(async () => {
    tree?.remove();
    await started?.close();
  });

  it('a private repository cannot be fetched before, and the entry says what to do', async () => {
    const { entry } = await push('one');
    expect(entry.error).toMatchObject({ code: 'deploy:repohost:no_pkg_json', status: 502 });
    expect(entry.error.detail).toContain('POST /1/auth/local');
  });

  it('is refused by the gateway without a login, with a challenge, and by the host without one', async () => {
    const anonymous = await ask('POST', '/1/auth/repohost', `demo:${canary}`, 'demo:wrong');
    expect(anonymous).toMatchObject({ status: 401, body: { code: 'mw:auth:unauthorized' } });
    expect(anonymous.headers.get('www-authenticate')).toMatch(/^Basic realm=/);
    const refused = await ask('POST', '/1/auth/repohost', `someone:${canary}`);
    expect(refused).toMatchObject({ status: 401, body: { code: 'auth:repohost:github_pairing_failed' } });
    expect(refused.headers.get('www-authenticate')).toBeNull();
  });

  it('for one application lets nothing be fetched', async () => {
    expect((await ask('POST', '/1/auth/local?app=hidden', `demo:${canary}`)).body).toMatchObject({ app: 'hidden' });
    expect((await push('two')).entry.error).toMatchObject({ code: 'deploy:repohost:no_pkg_json' });
  });

  it('for all lets the next push deploy, and the commit says so', async () => {
    const paired = await ask('POST', '/1/auth/repohost/', `demo:${canary}`);
    expect(paired).toMatchObject({ status: 201, body: { host: 'local', login: 'demo', app: '*', scopes: ['repo'] } });
    const { sha, entry } = await push('three');
    expect(entry.status).toBe('ok');
    await expect
      .poll(() => started.service.repoHost.statuses('demo', 'hidden', sha), { timeout: 20_000 })
      .toContainEqual(expect.objectContaining({ state: 'success', context: 'deployment-webhooks/hidden' }));
  });

  it('is listed, forgotten, and then gone', async () => {
    expect((await ask('GET', '/1/auth/local')).body.pairings).toHaveLength(2);
    expect((await ask('DELETE', '/1/auth/local')).status).toBe(200);
    expect((await ask('DELETE', '/1/auth/local')).status).toBe(404);
    expect((await ask('GET', '/1/auth/local')).body.pairings).toMatchObject([{ app: 'hidden' }]);
    expect((await ask('PUT', '/1/auth/local')).headers.get('allow')).toBe('POST, GET, DELETE');
    expect((await ask('GET', '/1/auth/nowhere')).body).toMatchObject({ code: 'request:not_found' });
    expect((await push('four')).entry.error).toMatchObject({ code: 'deploy:repohost:no_pkg_json' });
  });

  it('has told nobody the token', async () => {
    await setTimeout(200);
    expect(answers.length).toBeGreaterThan(10);
    expect(JSON.stringify([answers, started.lines])).not.toContain(canary);
  });
});
