import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { application, entryAddress, type GitFolder, gitFolder } from '../support/service/git-folder.ts';
import { type ServiceUnderTest, type Started, startForTest } from '../support/service/started.ts';

describe('pairing on one machine', () => {
  let started: Started<ServiceUnderTest>;
  let tree: GitFolder;
  /** An API token: the repositories of this machine have no other tokens. */
  let canary: string;
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
    tree.commit(application('hidden', text));
    return { entry: await started.until(entryAddress(await tree.push()), 'ok', 'error') };
  };

  beforeAll(async () => {
    started = await startForTest('pairing');
    const { repoHost } = started.service;
    await repoHost.createRepository('demo', 'hidden', { private: true });
    const body = JSON.stringify({ name: 'canary' });
    const headers = { 'content-type': 'application/json' };
    canary = (await started.call('/1/auth/tokens', { method: 'POST', headers, body })).body.token;
    tree = gitFolder(repoHost.repositoryPath('demo', 'hidden'));
  });
  afterAll(async () => {
    await started?.close();
  });

  it('a push to a private repository fails before pairing, and its entry says what to do', async () => {
    const { entry } = await push('one');
    expect(entry.error).toMatchObject({ code: 'deploy:repohost:no_pkg_json', status: 502 });
    expect(entry.error.detail).toContain('POST /1/auth/local');
  });

  it('pairing without a login is refused by the gateway with a challenge, and by the repository host without one', async () => {
    const anonymous = await ask('POST', '/1/auth/repohost', `demo:${canary}`, 'demo:wrong');
    expect(anonymous).toMatchObject({ status: 401, body: { code: 'mw:auth:unauthorized' } });
    expect(anonymous.headers.get('www-authenticate')).toMatch(/^Basic realm=/);
    const refused = await ask('POST', '/1/auth/repohost', `someone:${canary}`);
    expect(refused).toMatchObject({ status: 401, body: { code: 'auth:repohost:github_pairing_failed' } });
    expect(refused.headers.get('www-authenticate')).toBeNull();
  });

  it('a token for one application fetches no repository, because its application is not known yet', async () => {
    expect((await ask('POST', '/1/auth/local?app=hidden', `demo:${canary}`)).body).toMatchObject({ app: 'hidden' });
    expect((await push('two')).entry.error).toMatchObject({ code: 'deploy:repohost:no_pkg_json' });
  });

  it('a token for all applications deploys the next push', async () => {
    const paired = await ask('POST', '/1/auth/repohost/', `demo:${canary}`);
    expect(paired).toMatchObject({ status: 201, body: { host: 'local', login: 'demo', app: '*', scopes: ['repo'] } });
    const { entry } = await push('three');
    expect(entry.status).toBe('ok');
    const body = JSON.stringify({ branch: 'nowhere' });
    const refused = await started.call('/1/apps/demo/hidden/settings', { method: 'PATCH', body });
    // Without the token the host would not show the repository.
    expect(refused.body).toMatchObject({ status: 400, detail: 'demo/hidden has no branch nowhere.' });
  });

  it('a pairing is listed, deleted, and then not found', async () => {
    expect((await ask('GET', '/1/auth/local')).body.pairings).toHaveLength(2);
    expect((await ask('DELETE', '/1/auth/local')).status).toBe(200);
    expect((await ask('DELETE', '/1/auth/local')).status).toBe(404);
    expect((await ask('GET', '/1/auth/local')).body.pairings).toMatchObject([{ app: 'hidden' }]);
    expect((await ask('PUT', '/1/auth/local')).headers.get('allow')).toBe('POST, GET, DELETE');
    expect((await ask('GET', '/1/auth/nowhere')).body).toMatchObject({ code: 'request:not_found' });
    expect((await push('four')).entry.error).toMatchObject({ code: 'deploy:repohost:no_pkg_json' });
  });

  it('the token is in no log line and no answer', async () => {
    await setTimeout(200);
    expect(answers.length).toBeGreaterThan(10);
    expect(JSON.stringify([answers, started.lines])).not.toContain(canary);
  });
});
