import { createHash } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import Database from 'libsql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { tarballKey } from '../../functions/core/entry/entry.ts';
import { DeployError } from '../../functions/core/errors.ts';
import { githubPush } from '../support/senders/github-push.ts';
import { failingPlatform } from '../support/service/failing-platform.ts';
import { type FakeCommit, type FakeHost, fakeHost } from '../support/service/fake-host.ts';
import { application } from '../support/service/git-folder.ts';
import { dropTables } from '../support/service/log-file.ts';
import { expectHeaders, expectProblem } from '../support/service/problem.ts';
import { type ApiAnswer, type Started, startEngineForTest } from '../support/service/started.ts';
import { commitTarball, type TarballEntry, tarball } from '../support/service/tarballs.ts';

describe('every error of the API, provoked over HTTP', () => {
  let started: Started;
  let host: FakeHost;
  const failing = failingPlatform();
  const logins = { bob: 'bob:of good cheer', eve: 'eve:100%25 s:e%3Acret', ann: 'ann:of green gables' };

  beforeAll(async () => {
    host = await fakeHost();
    started = await startEngineForTest('errors', {
      platform: failing.of,
      repositoryHosts: [{ name: 'fake', kind: 'github', api: host.url, web: host.url }],
      retryBaseSeconds: 0,
      streams: { seconds: 60, perUser: 2, inAll: 5000 },
    });
    await started.addUser({ user: 'bob', password: 'of good cheer' });
    await started.addUser({ user: 'eve', password: '100%25 s:e%3Acret' });
    await started.addUser({ user: 'ann', password: 'of green gables' });
  });
  afterAll(async () => {
    await started.close();
    await host.close();
  });

  const page = (login: string | null, user = login?.split(':')[0] ?? 'demo') =>
    started.call(`/1/status/${user}/webhooks`, { login });

  /** Makes an API token, and returns the login with it. */
  const withToken = async (login: string, name: string) => {
    const headers = { 'content-type': 'application/json' };
    const made = await started.call('/1/auth/tokens', {
      method: 'POST',
      login,
      headers,
      body: JSON.stringify({ name }),
    });
    return `${login.split(':')[0]}:${made.body.token}`;
  };

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
    expect(entry.body.doc.stages.at(-1)).toMatchObject({ status: 'failed' });
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

  describe('the login', () => {
    it('every endpoint answers a missing or wrong login with its own error code', async () => {
      expectProblem(await started.call('/1/deploy', { method: 'POST', login: null }), 401, 'deploy:auth:bad_creds');
      expectProblem(await started.call('/', { method: 'POST', login: 'demo:wrong' }), 401, 'deploy:auth:bad_creds');
      expectProblem(await page(null), 401, 'mw:auth:unauthorized');
      expectProblem(await page('demo:wrong'), 401, 'mw:auth:unauthorized');
      expectProblem(await page('nobody:wrong'), 401, 'mw:auth:unauthorized');
      expectProblem(await page('demo:'), 401, 'mw:auth:unauthorized');
    });

    it("a login is refused at another user's address", async () => {
      expectProblem(await page(logins.bob, 'demo'), 401, 'mw:auth:not_you');
      const change = `/1/status/demo/changes/${'0'.repeat(32)}`;
      expectProblem(await started.call(change, { login: logins.bob }), 401, 'mw:auth:not_you');
      expect((await page(logins.bob)).status).toBe(200);
    });

    it('an API token is accepted in place of the password until it is revoked', async () => {
      const [used, revoked] = [await withToken(logins.bob, 'hook'), await withToken(logins.bob, 'old')];
      expect((await page(used)).status).toBe(200);
      const gone = await started.call('/1/auth/tokens/old', { method: 'DELETE', login: logins.bob });
      expect(gone.status).toBe(204);
      expectProblem(await page(revoked), 401, 'mw:auth:unauthorized');
      expectProblem(
        await started.call('/1/deploy', { method: 'POST', body: '{}', login: revoked }),
        401,
        'deploy:auth:bad_creds',
      );
    });

    it.each([
      ['page', (login: string) => page(login)],
      ['webhook', (login: string) => started.call('/', { method: 'POST', login })],
    ])('after too many wrong ones is answered with 429 and Retry-After: %s', async (name, ask) => {
      let answer = await ask(`guessed-${name}:wrong`);
      // More than the ten free ones: each pause is twice as long, and one is longer than a slow machine needs.
      for (let guess = 1; guess < 30 && answer.status === 401; guess += 1) {
        answer = await ask(`guessed-${name}:wrong ${guess}`);
      }
      expectProblem(answer, 429, 'request:throttled');
      expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
    });

    it('a login is accepted as it was sent or percent-decoded', async () => {
      expect((await page(logins.eve)).status).toBe(200);
      const encoded = `eve:${encodeURIComponent('100%25 s:e%3Acret')}`;
      expect((await page(encoded)).status).toBe(200);
      expectProblem(await page('eve:100%2525 s:e%3Acret!'), 401, 'mw:auth:unauthorized');
    });

    it('a login whose user record is invalid is an error', async () => {
      change('ann', (document) => document.replace('"username"', '"email"'));
      expectProblem(await page(logins.ann), 401, 'mw:auth:no_username');
    });
  });

  describe('a request', () => {
    it('an unknown path is 404, and a wrong method is 405 with the allowed ones', async () => {
      for (const path of ['/nothing', '/1/nothing/at/all', '/2/deploy']) {
        expectProblem(await started.call(path, { login: null }), 404, 'request:not_found');
      }
      for (const [path, method, allow] of [
        ['/1/deploy', 'DELETE', 'POST'],
        ['/1/status/demo/webhooks/', 'PUT', 'GET'],
      ] as const) {
        const answer = await started.call(path, { method });
        expectProblem(answer, 405, 'request:method_not_allowed');
        expect(answer.headers.get('allow')).toBe(allow);
      }
    });

    it.each(['limit=0', 'limit=101', 'limit=ten', 'skip=-1', 'include_docs=maybe'])(
      'a request with the parameter %s is 400 and names it',
      async (query) => {
        const answer = await started.call(`/1/status/demo/webhooks?${query}`);
        expectProblem(answer, 400, 'request:bad_parameter');
        expect(answer.body.detail).toContain(query.split('=')[0]);
      },
    );

    it('a request with an invalid branch name is 400', async () => {
      const answer = await started.hook({ some: 'payload' }, {}, '?branch=a%20b');
      expectProblem(answer, 400, 'request:bad_parameter');
      expect(answer.body.detail).toContain('branch');
    });

    it('a request over 5 MiB is 413, whether the service or the gateway refuses it', async () => {
      for (const mebibytes of [5.1, 11]) {
        const answer = await started.hook(`{"filler":"${'x'.repeat(mebibytes * 1024 * 1024)}"}`);
        expectProblem(answer, 413, 'request:too_large');
      }
    });

    it('a request for an unknown entry or application is 404', async () => {
      const changes = '/1/status/demo/changes';
      for (const id of ['0'.repeat(32), `${'a'.repeat(20)}000000000001`, 'x']) {
        expectProblem(await started.call(`${changes}/${id}`), 404, 'status:db:not_found');
      }
      expectProblem(await started.call('/1/status/demo/webhooks/nothing'), 404, 'status:db:not_found');
    });
  });

  describe('a payload', () => {
    it.each(['', '  ', 'null', '{}', '{"payload":{}}', 'payload=', 'other=1'])(
      'an empty payload (%j) is deploy:no_payload',
      async (body) => {
        expectProblem(await started.hook(body), 400, 'deploy:no_payload');
      },
    );

    it.each(['[]', '"text"', '{"some":"thing"}', '{"cut', '<xml/>', 'payload=%7B'])(
      'a payload of no known sender (%s) is deploy:provider:not_supported',
      async (body) => {
        expectProblem(await started.hook(body), 400, 'deploy:provider:not_supported');
      },
    );

    it('a payload of a repository host that is not configured is refused, and the host is not called', async () => {
      const payload = host.push('elsewhere', { files: {}, tarball: 404 });
      const answer = await started.hook(JSON.stringify(payload).replaceAll(new URL(host.url).host, 'evil.example'));
      expectProblem(answer, 400, 'deploy:provider:not_supported');
      expect(answer.body.detail).toContain('evil.example');
    });

    it('a payload is read in all five layouts, whatever its content type', async () => {
      const json = JSON.stringify({ zen: 'Keep it simple.', hook: { events: ['push'] } });
      const form = `payload=${encodeURIComponent(json)}`;
      const text = JSON.stringify(json);
      const bodies = [json, `{"payload":${json}}`, `{"payload":${text}}`, form, `signature=x&${form}&more=1`];
      const types = ['application/json', 'application/x-www-form-urlencoded', 'text/plain'];
      for (const body of bodies) {
        for (const type of types) {
          const answer = await started.hook(body, { 'content-type': type, 'x-github-event': 'ping' });
          expect({ status: answer.status, entry: answer.body.status }).toEqual({ status: 200, entry: 'skipped' });
          expectHeaders(answer);
        }
      }
    });
  });

  describe('a deploy', () => {
    it('a deploy that succeeds answers 200 with the entry when the caller waits', async () => {
      const answer = await deployed('works');
      expect(answer.status).toBe(200);
      expect(answer.body).toMatchObject({ status: 'ok', app_name: 'works', uuid: answer.headers.get('x-api-uuid') });
      expect(answer.headers.get('location')).toBe(answer.body.id);
    });

    it('a deploy that takes longer than the caller waits answers 202', async () => {
      failing.fail('start', 'later', null, 1);
      const files = application('later', 'later');
      const payload = host.push('later', { files, tarball: await commitTarball(files) });
      const answer = await started.hook(payload, { prefer: 'respond-async, wait=1' });
      expect(answer.status).toBe(202);
      expect(answer.headers.get('preference-applied')).toBe('wait=1');
      expect(['queued', 'running']).toContain(answer.body.status);
      expectHeaders(answer);
    });

    it('a deploy with a missing, malformed or nameless package.json fails with deploy:repohost:no_pkg_json', async () => {
      for (const files of [{}, { 'package.json': '{"name": ' }, { 'package.json': '{"version":"1.0.0"}' }]) {
        await expectFailure(await deployed('nameless', { files }), 502, 'deploy:repohost:no_pkg_json');
      }
      // The host says of this repository that there is none.
      const unseen = githubPush(host.url, { owner: 'octo', name: 'gone', sha: 'f'.repeat(40) });
      const answer = await started.hook(unseen, { prefer: 'wait=25' });
      await expectFailure(answer, 502, 'deploy:repohost:no_pkg_json');
      expect(answer.body.detail).toMatch(/private repository.* POST \/1\/auth\//);
    });

    it('a deploy fails with deploy:repohost:download_tarball when the host has no tarball', async () => {
      const entry = await expectFailure(
        await deployed('untarred', { tarball: 404 }),
        502,
        'deploy:repohost:download_tarball',
      );
      expect(entry.doc.stages.at(-1)).toMatchObject({ name: 'fetch', attempts: 1 });
    });

    const root = 'octo-app-1';
    const hostile: Record<string, TarballEntry[]> = {
      'deploy:tar:unsafe_path': [{ name: `${root}/../../evil`, content: 'x' }],
      'deploy:tar:unsafe_link': [{ name: `${root}/key`, type: 'symlink', linkname: '../../password' }],
      'deploy:tar:unsafe_type': [{ name: `${root}/pipe`, type: 'fifo' }],
      'deploy:tar:no_root': [
        { name: 'one/a', content: 'x' },
        { name: 'two/b', content: 'x' },
      ],
      'deploy:tar:ratio': [{ name: `${root}/zeros`, content: Buffer.alloc(40 * 1024 * 1024) }],
    };

    it.each(Object.keys(hostile))(
      'a deploy of a hostile tarball fails with %s, and nothing of the tarball is kept',
      async (code) => {
        const archive = await tarball(hostile[code] ?? []);
        const entry = await expectFailure(await deployed('hostile', { tarball: archive }), 500, code);
        expect(entry.doc.stages.at(-1)).toMatchObject({ name: 'fetch', attempts: 1 });
        expect(await storedFor(entry)).toEqual([]);
      },
    );

    it('a deploy fails with deploy:tar:corrupt when the download is not a tarball', async () => {
      await expectFailure(await deployed('noise', { tarball: Buffer.from('no gzip') }), 500, 'deploy:tar:corrupt');
    });

    it('a deploy fails with deploy:tar:extract_failed when the platform cannot unpack or install it', async () => {
      const full = new DeployError('deploy:tar:extract_failed', 'The disk of the platform says no.', { retry: false });
      failing.fail('activate', 'unpackable', full);
      const answer = await deployed('unpackable');
      await expectFailure(answer, 500, 'deploy:tar:extract_failed');
      expect(answer.body.detail).toContain('The disk of the platform says no.');

      const files = { 'package.json': JSON.stringify({ name: 'uninstallable', scripts: { install: 'exit 7' } }) };
      await expectFailure(
        await deployed('uninstallable', { files: { ...files, 'server.js': '' } }),
        500,
        'deploy:tar:extract_failed',
      );
    });

    it('a deploy fails with deploy:platform:start_app when the application does not start', async () => {
      const files = { ...application('crash', ''), 'server.js': 'console.log("on my way"); process.exit(3);' };
      const entry = await expectFailure(await deployed('crash', { files }), 500, 'deploy:platform:start_app');
      expect(entry.doc.log_tail.join('\n')).toContain('on my way');
    });

    it('a deploy with a temporary failure is retried, at most five times', async () => {
      const down = new DeployError('deploy:platform:upload_tarball', 'It is down.', { retry: true });
      failing.fail('upload', 'hiccup', down, 2);
      failing.fail('upload', 'outage', down);
      const cut = (await commitTarball(application('cut', ''))).subarray(0, -20);
      const [recovered, failed, truncated] = await Promise.all([
        deployed('hiccup'),
        deployed('outage'),
        deployed('cut', { tarball: cut }),
      ]);
      expect(recovered.body.status).toBe('ok');
      const { doc } = await expectFailure(failed, 502, 'deploy:platform:upload_tarball');
      expect(doc.stages.at(-1)).toMatchObject({ name: 'upload', attempts: 5 });
      await expectFailure(truncated, 500, 'deploy:tar:truncated');
    });
  });

  it('a stream beyond those that a user may have is request:throttled; a page of changes is not', async () => {
    const { url, login } = started.service;
    const headers = { authorization: `Basic ${Buffer.from(`demo:${login.password}`).toString('base64')}` };
    const stop = new AbortController();
    const stream = () => fetch(`${url}/1/status/demo/changes`, { headers, signal: stop.signal });
    for (const one of [await stream(), await stream()])
      expect([one.status, one.status === 200 ? '' : await one.text()]).toEqual([200, '']);
    const answer = await started.call('/1/status/demo/changes');
    expectProblem(answer, 429, 'request:throttled');
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
    const page = await started.call('/1/status/demo/changes?feed=normal');
    expect(page.body).toMatchObject({ results: [] });
    stop.abort();
  });

  it('the log page contains the error of each failed deploy without include_docs', async () => {
    const { body } = await started.call('/1/status/demo/webhooks?limit=100');
    const failed = body.rows.filter((row: { status: string }) => row.status === 'error');
    expect(failed.length).toBeGreaterThan(10);
    for (const row of failed) {
      expect(row).toMatchObject({ error: { code: expect.stringMatching(/^deploy:/), status: expect.any(Number) } });
      expect(row).not.toHaveProperty('doc');
    }
  });

  it('the log of the functions contains none of the secrets', () => {
    const log = started.lines.join('\n');
    expect(log).toContain('stage failed');
    const secrets = [started.service.login.password, ...Object.values(logins).map((login) => login.split(':')[1])];
    for (const secret of secrets) expect(log).not.toContain(secret);
  });

  it('every endpoint answers 500 when the stored user is damaged', async () => {
    await started.addUser({ user: 'broken', password: 'secret' });
    change('broken', (document) => document.slice(1));
    const answers = await Promise.all([
      page('broken:secret'),
      page(`broken:dwt_${'a'.repeat(40)}`),
      started.call('/1/deploy', { method: 'POST', body: '{}', login: 'broken:secret' }),
    ]);
    for (const answer of answers) expectProblem(answer, 500, 'mw:auth:auth_server_down');
  });

  it('three hundred wrong passwords under way shut out no good login', async () => {
    await started.addUser({ user: 'gus', password: 'of the gathering' });
    const token = await withToken('gus:of the gathering', 'crowd');
    await started.addUser({ user: 'gus', password: 'of another one' });
    const guesses = Array.from({ length: 300 }, (_, guess) => page(`guessed:guess ${guess}`));
    const good = await Promise.all([page('gus:of another one'), page(token)]);
    expect(good.map(({ status }) => status)).toEqual([200, 200]);
    const answers = await Promise.all(guesses);
    // A machine that is busy with other things may be too late with a guess that it checks; it checks few.
    const checked = answers.filter(({ status }) => status !== 429);
    expect(checked.length).toBeLessThan(20);
    for (const { status } of checked) expect([401, 500]).toContain(status);
  });

  // The last one, because nothing works any more afterwards.
  it('requests fail with the error codes of the database when it is down', async () => {
    const files = application('lost', '');
    const stored = await started.hook(host.push('lost', { files, tarball: 404 }), { prefer: 'wait=25' });
    // A login is remembered for a minute, in which wrong passwords of others do not delay it.
    await page(logins.bob);
    dropTables(join(started.dataDir, 'service.db'));

    const answer = await started.hook(host.push('lost', { files, tarball: 404 }));
    expectProblem(answer, 503, 'deploy:db:failed_to_store_payload');
    expectProblem(await page(logins.bob), 500, 'status:db:query_fail');
    expectProblem(await started.call('/1/status/demo/webhooks/lost'), 500, 'status:db:query_fail');
    expectProblem(await started.call(stored.headers.get('location') ?? ''), 500, 'status:db:get_by_id');
  });

  /** What is staged of a deploy, files that are being written included. */
  async function storedFor({ id, commit }: ApiAnswer['body']): Promise<readonly string[]> {
    const staged = { user: 'demo', number: Number(id.slice(-12)), sha: commit.split('/').at(-1) };
    const digest = createHash('sha256').update(tarballKey(staged)).digest('hex');
    return (await readdir(join(started.dataDir, 'tarballs'))).filter((name) => name.startsWith(digest));
  }
});
