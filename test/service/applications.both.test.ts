import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { entryAddress, type GitFolder, gitFolder } from '../support/service/git-folder.ts';
import { expectProblem } from '../support/service/problem.ts';
import { type ApiAnswer, type ServiceUnderTest, type Started, startForTest } from '../support/service/started.ts';

const canary = 'canary-value-93b1c7';

/** An application that answers with its version and with a variable. */
const greeting = (version: string): Record<string, string> => ({
  'package.json': JSON.stringify({ name: '@demo/greeting', version: '1.0.0' }),
  'server.js': `console.log('${version} is up');
require('node:http').createServer((q, s) => s.end('${version} ' + process.env.GREETING))
  .listen(process.env.PORT, process.env.HOST);\n`,
});

const linesIn = (text: string) => text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line)]));

describe('an application of one’s own', () => {
  let started: Started<ServiceUnderTest>;
  let tree: GitFolder;

  const app = '/1/apps/demo/demo-greeting';
  const ask = (method: string, path: string, body?: unknown) =>
    started.call(path, { method, ...(body !== undefined && { body: JSON.stringify(body) }) });

  /** Does something with the application, and waits until its entry has ended. */
  const operate = async (method: string, path: string, ...statuses: string[]): Promise<ApiAnswer['body']> => {
    // Of no length: the wait takes a slot of the streams and frees it.
    const { status, body } = await started.call(path, { method, headers: { prefer: 'wait=0' } });
    expect({ status, body }).toMatchObject({ status: 202, body: { provider: 'manual' } });
    return started.until(body.id, ...(statuses.length > 0 ? statuses : ['ok', 'error']));
  };
  const push = async (version: string) => {
    tree.commit(greeting(version));
    return started.until(entryAddress(await tree.push()), 'ok', 'error');
  };
  const page = async () => {
    const { body } = await ask('GET', app);
    const answer = await fetch(body.url);
    return answer.text();
  };

  beforeAll(async () => {
    started = await startForTest('applications');
    const { repoHost } = started.service;
    await repoHost.createRepository('demo', 'greeting');
    tree = gitFolder(repoHost.repositoryPath('demo', 'greeting'));
  });
  afterAll(async () => {
    await started?.close();
  });

  it('does not exist at first', async () => {
    expect((await ask('GET', '/1/apps/demo')).body).toMatchObject({ total: 0, skip: 0, limit: 100, apps: [] });
    expectProblem(await ask('GET', app), 404, 'status:db:not_found');
    expectProblem(await ask('POST', `${app}/restart`), 404, 'status:db:not_found');
    expectProblem(await ask('GET', '/1/apps/somebody'), 401, 'mw:auth:not_you');
    expectProblem(await ask('GET', `${app}/restart`), 405, 'request:method_not_allowed');
  });

  it('can have a variable before its first deploy', async () => {
    const path = '/1/apps/demo/%40demo%2Fgreeting/env/GREETING';
    expect((await ask('PUT', path, { value: canary })).status).toBe(201);
    expect((await ask('GET', `${app}/env`)).body).toEqual({ env: { GREETING: null } });
    expect((await ask('GET', app)).body).toMatchObject({ name: '@demo/greeting', state: 'never', url: null });
  });

  it('is shown with its address, its entry and the deploys that it can go back to', async () => {
    const [first, second] = [await push('one'), await push('two')];
    const { body } = await ask('GET', app);
    expect(body).toMatchObject({
      name: '@demo/greeting',
      repository: { host: 'local', owner: 'demo', name: 'greeting' },
      state: 'running',
      active: { id: second.id, status: 'ok' },
      rollback: [{ id: first.id, status: 'ok' }],
    });
    expect((await ask('GET', '/1/apps/demo')).body).toMatchObject({ total: 1, apps: [body] });
    expect(await page()).toBe(`two ${canary}`);
  });

  it('sends its output, and follows it', async () => {
    const known = await ask('GET', `${app}/logs`);
    expect(known.headers.get('content-type')).toBe('application/x-ndjson');
    await expect
      .poll(async () => linesIn((await ask('GET', `${app}/logs`)).body))
      .toContainEqual({ at: expect.any(String), stream: 'stdout', line: 'two is up' });
    const stop = new AbortController();
    const { user, password } = started.service.login;
    const authorization = `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
    const init = { headers: { authorization }, signal: stop.signal };
    const followed = await fetch(`${started.service.url}${app}/logs?follow&lines=0`, init);
    await operate('POST', `${app}/restart`);
    let seen = '';
    for await (const bytes of followed.body ?? []) {
      seen += new TextDecoder().decode(bytes);
      if (/two is up.*\n/.test(seen)) break;
    }
    stop.abort();
    expect(linesIn(seen.slice(0, seen.lastIndexOf('\n')))).toContainEqual({
      at: expect.any(String),
      stream: 'stdout',
      line: 'two is up',
    });
    expectProblem(await ask('GET', '/1/apps/demo/nothing/logs?follow'), 404, 'status:db:not_found');
  });

  it('goes back to the deploy before, and forward to the next push', async () => {
    const entry = await operate('POST', `${app}/rollback`);
    expect(entry).toMatchObject({ status: 'ok', operation: 'rollback' });
    expect(await page()).toBe(`one ${canary}`);
    expect((await ask('GET', app)).body.active.id).toBe(entry.id);
    expect((await push('three')).status).toBe('ok');
    expect(await page()).toBe(`three ${canary}`);
    tree.commit(greeting('side'));
    await tree.push('HEAD:refs/heads/side/one');
    expect(await operate('POST', `${app}/deploy?ref=side/one`)).toMatchObject({ status: 'ok', provider: 'manual' });
    expect(await page()).toBe(`side ${canary}`);
    expectProblem(await ask('POST', `${app}/deploy?ref=nowhere`), 400, 'request:bad_parameter');
  });

  it('is restarted when a variable changes', async () => {
    const { body } = await ask('PUT', `${app}/env/GREETING`, 'and again');
    expect(body).toMatchObject({ name: 'GREETING', restart: { operation: 'restart' } });
    expect((await started.until(body.restart.id, 'ok', 'error')).status).toBe('ok');
    expect(await page()).toBe('side and again');
  });

  it('stays stopped until the next push or restart', async () => {
    expect(await operate('POST', `${app}/stop`)).toMatchObject({ status: 'ok', operation: 'stop' });
    expect((await ask('GET', app)).body.state).toBe('stopped');
    expect(await operate('POST', `${app}/restart`)).toMatchObject({ status: 'ok', operation: 'restart' });
    expect(await page()).toBe('side and again');
  });

  it('is removed with its variables, and its log and badge stay', async () => {
    expect(await operate('DELETE', app)).toMatchObject({ status: 'ok', operation: 'remove' });
    expectProblem(await ask('GET', app), 404, 'status:db:not_found');
    expect((await ask('GET', '/1/status/demo/webhooks/%40demo%2Fgreeting')).body.total).toBeGreaterThan(5);
    expect((await started.call('/demo/greeting.svg', { login: null })).body).toContain('deployment: ok');
    expect((await push('four')).status).toBe('ok');
    expect(await page()).toBe('four undefined');
  });

  it('leaves no value of a variable in the log of the service or in an entry', async () => {
    const { body } = await ask('GET', '/1/status/demo/changes?since=0&feed=normal&include_docs=true');
    expect(JSON.stringify([body, started.lines])).not.toContain(canary);
  });
});
