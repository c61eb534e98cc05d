import { join } from 'node:path';
import Database from 'libsql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DeployError } from '../../functions/core/errors.ts';
import { githubPush } from '../support/senders/github-push.ts';
import { type FakeCommit, type FakeHost, fakeHost } from '../support/service/fake-host.ts';
import { application } from '../support/service/git-folder.ts';
import { dropTables } from '../support/service/log-file.ts';
import { expectProblem } from '../support/service/problem.ts';
import { type ApiAnswer, type Started, startEngineForTest } from '../support/service/started.ts';
import { commitTarball, tarball } from '../support/service/tarballs.ts';

/** The name of an application that the platform does not take. */
const REFUSED = 'unwelcome';
const BOB = 'bob:of good cheer';

describe('every error of the API, provoked over HTTP', () => {
  let started: Started;
  let host: FakeHost;

  beforeAll(async () => {
    host = await fakeHost();
    started = await startEngineForTest('errors', {
      platform: (ports) => ({
        ...ports,
        hosting: {
          ...ports.hosting,
          upload: async (snapshot, upload) => {
            if (snapshot.app !== REFUSED) return ports.hosting.upload(snapshot, upload);
            throw new DeployError('deploy:platform:upload_tarball', 'It takes no more.', { retry: false });
          },
        },
      }),
      repositoryHosts: [{ name: 'fake', kind: 'github', api: host.url, web: host.url }],
      streams: { seconds: 60, perUser: 1, inAll: 5000 },
    });
    for (const user of ['bob', 'ann', 'eve']) await started.addUser({ user, password: 'of good cheer' });
    change('ann', (document) => document.replace('"username"', '"email"'));
    change('eve', (document) => document.slice(1));
  });
  afterAll(async () => {
    await started.close();
    await host.close();
  });

  const page = (login: string | null, user = login?.split(':')[0] ?? 'demo') =>
    started.call(`/1/status/${user}/webhooks`, { login });

  /** Changes what is stored of a user. */
  const change = (user: string, edit: (document: string) => string) => {
    const database = new Database(join(started.dataDir, 'service.db'));
    const found = database.prepare('SELECT doc FROM accounts WHERE user = ?').get(user) as { doc: string };
    database.prepare('UPDATE accounts SET doc = ? WHERE user = ?').run(edit(found.doc), user);
    database.close();
  };

  /** Pushes a commit whose application has that name, and returns the answer with its outcome. */
  const deployed = async (name: string, commit: Partial<FakeCommit> = {}): Promise<ApiAnswer> => {
    const { files = application(name, name), tarball: archive = await commitTarball(files) } = commit;
    for (;;) {
      const payload = host.push(name, { files, tarball: archive });
      const answer = await started.hook(payload, { prefer: 'wait=25' });
      expect(answer.headers.get('preference-applied')).toBe('wait=25');
      if (answer.status !== 202) return answer;
      // The machine is busy, and no caller may wait longer: the next deploy has it for itself.
      await started.until(answer.body.id, 'ok', 'error', 'superseded');
    }
  };

  /** Expects that code of the answer and, under the answer's `Location`, in the log. */
  const expectFailure = async (answer: ApiAnswer, status: number, code: string) => {
    expectProblem(answer, status, code);
    const entry = await started.call(`${answer.headers.get('location')}?include_docs=true`);
    expect(entry.body).toMatchObject({
      status: 'error',
      uuid: answer.body.uuid,
      error: { code, status, detail: answer.body.detail },
    });
    expect(entry.body.doc.stages.at(-1)).toMatchObject({ status: 'failed', attempts: 1 });
    return entry.body;
  };

  it('the `type` of an error is the address of a page about its code, which needs no login', async () => {
    const refused = await page(null);
    expectProblem(refused, 401, 'mw:auth:unauthorized');
    const asBrowser = await started.call(refused.body.type, { login: null, headers: { accept: 'text/html' } });
    expect(asBrowser.status).toBe(200);
    expect(asBrowser.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(asBrowser.body).toContain('id="mw:auth:unauthorized"');
    const asProgram = await started.call('/errors', { login: null });
    expect(asProgram.body.errors).toContainEqual(
      expect.objectContaining({ type: refused.body.type, code: refused.body.code }),
    );
    expectProblem(await started.call('/errors', { method: 'POST', login: null }), 405, 'request:method_not_allowed');
  });

  const post = (path: string, body: string, login = `demo:${started.service.login.password}`) =>
    started.call(path, { method: 'POST', body, login });
  const tooLarge = `{"filler":"${'x'.repeat(5.1 * 1024 * 1024)}"}`;

  it.each<[status: number, code: string, what: string, ask: () => Promise<ApiAnswer>]>([
    [401, 'deploy:auth:bad_creds', 'a deploy with a wrong login', () => post('/', '{}', 'demo:wrong')],
    [401, 'mw:auth:unauthorized', 'a wrong login', () => page('nobody:wrong')],
    [401, 'mw:auth:not_you', "another user's address", () => page(BOB, 'demo')],
    [401, 'mw:auth:no_username', 'a user whose record is invalid', () => page('ann:of good cheer')],
    [500, 'mw:auth:auth_server_down', 'a user whose record is damaged', () => page('eve:of good cheer')],
    [404, 'request:not_found', 'an unknown path', () => started.call('/2/deploy', { login: null })],
    [405, 'request:method_not_allowed', 'a wrong method', () => started.call('/1/deploy', { method: 'DELETE' })],
    [400, 'request:bad_parameter', 'a limit of none', () => started.call('/1/status/demo/webhooks?limit=0')],
    [413, 'request:too_large', 'a payload over 5 MiB', () => post('/1/deploy', tooLarge)],
    [404, 'status:db:not_found', 'an unknown entry', () => started.call(`/1/status/demo/changes/${'0'.repeat(32)}`)],
    [404, 'status:db:not_found', 'an unknown application', () => started.call('/1/status/demo/webhooks/nothing')],
    [400, 'deploy:no_payload', 'a deploy without a payload', () => post('/1/deploy', '')],
    [400, 'deploy:provider:not_supported', 'a payload of no known sender', () => post('/1/deploy', '{"some":"thing"}')],
  ])('%i %s: %s', async (status, code, _what, ask) => {
    expectProblem(await ask(), status, code);
  });

  /** Makes an API token of bob, and returns the login with it. */
  const withToken = async (name: string) => {
    const headers = { 'content-type': 'application/json' };
    const body = JSON.stringify({ name });
    const made = await started.call('/1/auth/tokens', { method: 'POST', login: BOB, headers, body });
    return `bob:${made.body.token}`;
  };

  it('401 deploy:auth:bad_creds: an API token that is revoked', async () => {
    const token = await withToken('old');
    expect((await page(token)).status).toBe(200);
    expect((await started.call('/1/auth/tokens/old', { method: 'DELETE', login: BOB })).status).toBe(204);
    expectProblem(await page(token), 401, 'mw:auth:unauthorized');
    expectProblem(await post('/1/deploy', '{}', token), 401, 'deploy:auth:bad_creds');
  });

  it('429 request:throttled, with Retry-After: too many wrong logins', async () => {
    let answer = await page('guessed:wrong');
    // More than the ten free ones: each pause is twice as long, and one is longer than a slow machine needs.
    for (let guess = 1; guess < 30 && answer.status === 401; guess += 1) answer = await page(`guessed:wrong ${guess}`);
    expectProblem(answer, 429, 'request:throttled');
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
  });

  it('429 request:throttled, with Retry-After: a stream beyond those that a user may have', async () => {
    const headers = { authorization: `Basic ${btoa(`demo:${started.service.login.password}`)}` };
    const stop = new AbortController();
    const stream = await fetch(`${started.service.url}/1/status/demo/changes`, { headers, signal: stop.signal });
    expect(stream.status).toBe(200);
    const answer = await started.call('/1/status/demo/changes');
    expectProblem(answer, 429, 'request:throttled');
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
    stop.abort();
  });

  it('400 deploy:provider:not_supported: a repository host that is not configured, which is not called', async () => {
    const payload = host.push('elsewhere', { files: {}, tarball: 404 });
    const answer = await started.hook(JSON.stringify(payload).replaceAll(new URL(host.url).host, 'evil.example'));
    expectProblem(answer, 400, 'deploy:provider:not_supported');
    expect(answer.body.detail).toContain('evil.example');
  });

  it('a deploy that succeeds answers 200 with the entry when the caller waits', async () => {
    const answer = await deployed('works');
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({ status: 'ok', app_name: 'works', uuid: answer.headers.get('x-api-uuid') });
    expect(answer.headers.get('location')).toBe(answer.body.id);
  });

  it('502 deploy:repohost:no_pkg_json: no package.json, or a repository that the host does not show', async () => {
    await expectFailure(await deployed('nameless', { files: {} }), 502, 'deploy:repohost:no_pkg_json');
    const unseen = githubPush(host.url, { owner: 'octo', name: 'gone', sha: 'f'.repeat(40) });
    const answer = await started.hook(unseen, { prefer: 'wait=25' });
    await expectFailure(answer, 502, 'deploy:repohost:no_pkg_json');
    expect(answer.body.detail).toMatch(/private repository.* POST \/1\/auth\//);
  });

  const installing = { 'package.json': JSON.stringify({ name: 'unusable', scripts: { install: 'exit 7' } }) };
  const crashing = { ...application('crash', ''), 'server.js': 'console.log("on my way"); process.exit(3);' };
  const climbing = () => tarball([{ name: 'octo-app-1/../../evil', content: 'x' }]);

  it.each<[status: number, code: string, what: string, name: string, commit: () => Promise<Partial<FakeCommit>>]>([
    [502, 'deploy:repohost:download_tarball', 'no tarball', 'untarred', async () => ({ tarball: 404 })],
    [500, 'deploy:tar:unsafe_path', 'a path out of its folder', 'hostile', async () => ({ tarball: await climbing() })],
    [500, 'deploy:tar:corrupt', 'no archive', 'noise', async () => ({ tarball: Buffer.from('no gzip') })],
    [502, 'deploy:platform:upload_tarball', 'a platform that refuses it', REFUSED, async () => ({})],
    [500, 'deploy:tar:extract_failed', 'a failed install', 'unusable', async () => ({ files: installing })],
    [500, 'deploy:platform:start_app', 'an application that ends', 'crash', async () => ({ files: crashing })],
  ])('%i %s: %s', async (status, code, _what, name, commit) => {
    const entry = await expectFailure(await deployed(name, await commit()), status, code);
    if (name === 'crash') expect(entry.doc.log_tail.join('\n')).toContain('on my way');
  });

  it('three hundred wrong passwords under way shut out no good login', async () => {
    const token = await withToken('crowd');
    // One that is not remembered.
    await started.addUser({ user: 'bob', password: 'of another one' });
    const guesses = Array.from({ length: 300 }, (_, guess) => page(`guessed:guess ${guess}`));
    const good = await Promise.all([page('bob:of another one'), page(token)]);
    expect(good.map(({ status }) => status)).toEqual([200, 200]);
    const answers = await Promise.all(guesses);
    // A machine that is busy with other things may be too late with a guess that it checks; it checks few.
    const checked = answers.filter(({ status }) => status !== 429);
    expect(checked.length).toBeLessThan(20);
    for (const { status } of checked) expect([401, 500]).toContain(status);
  });

  // The last one, because nothing works any more afterwards.
  it('requests fail with the error codes of the database when it is down', async () => {
    const push = () => host.push('lost', { files: application('lost', ''), tarball: 404 });
    const stored = await started.hook(push(), { prefer: 'wait=25' });
    // A login is remembered for a minute.
    await page('bob:of another one');
    dropTables(join(started.dataDir, 'service.db'));

    expectProblem(await started.hook(push()), 503, 'deploy:db:failed_to_store_payload');
    expectProblem(await page('bob:of another one'), 500, 'status:db:query_fail');
    expectProblem(await started.call('/1/status/demo/webhooks/lost'), 500, 'status:db:query_fail');
    expectProblem(await started.call(stored.headers.get('location') ?? ''), 500, 'status:db:get_by_id');
  });
});
