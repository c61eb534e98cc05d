import { describe, expect, it } from 'vitest';
import {
  appFiles,
  basic,
  call,
  deploy,
  platform,
  serverFile,
  serviceToken,
  sharedPlatform,
  until,
} from '../../../support/platform/harness.ts';

const shared = sharedPlatform();

describe('the login of the platform', () => {
  it('is the token of the service, for whatever user', async () => {
    const at = await shared();
    for (const user of ['ada', 'anybody']) {
      const headers = { authorization: basic(user, serviceToken) };
      expect((await call(at, 'GET', '/apps/ada', undefined, headers)).status).toBe(200);
    }
  });

  it.each([
    ['another secret', { authorization: basic('ada', 'wrong') }],
    ['an empty secret', { authorization: basic('ada', '') }],
    ['a header that is not Basic', { authorization: 'Bearer abc' }],
    ['a header that is not base64', { authorization: 'Basic %%%' }],
  ])('with %s is refused with 401 and a challenge', async (_what, headers) => {
    const answer = await call(await shared(), 'GET', '/apps/ada', undefined, headers);
    expect(answer).toMatchObject({ status: 401, body: { error: expect.any(String) } });
    expect(answer.headers.get('www-authenticate')).toContain('Basic');
  });

  it('cannot be a token that can be guessed', async () => {
    await expect(platform({ serviceToken: '' })).rejects.toThrow(/service token/);
  });
});

describe('the users of the platform', () => {
  it('have names that can be folders', async () => {
    const at = await shared();
    expect((await call(at, 'GET', '/apps/nobody')).body).toEqual({ apps: [] });
    expect((await call(at, 'GET', '/apps/..%2Fada')).status).toBe(400);
  });

  it('are those whom the service names: the applications of others end until they are named again', async () => {
    const at = await platform({ users: ['ada', 'bob'] });
    const { body } = await deploy(at, 'hello', '1', appFiles('hello', serverFile('here')));

    await at.serveUsers(['bob']);

    expect((await fetch(body.url)).status).toBe(503);
    expect((await call(at, 'POST', '/apps/ada/hello/start', { snapshot: '1' })).status).toBe(404);
    expect((await call(at, 'GET', '/apps/bob')).status).toBe(200);
    await at.serveUsers(['ada', 'bob']);
    await until('the application runs again', async () => (await fetch(body.url)).status === 200);
    await call(at, 'POST', '/apps/ada/hello/stop');
    await at.serveUsers(['bob']);
    await at.serveUsers(['ada']);
    expect((await call(at, 'GET', '/apps/ada/hello')).body.state).toBe('stopped');
  });

  it('are remembered by the service: at a start the applications of others stay off', async () => {
    const first = await platform();
    const { body } = await deploy(first, 'hello', '1', appFiles('hello', serverFile('here')));
    await first.close();
    const at = await platform({ dataDir: first.dataDir, users: ['bob'] });
    expect((await fetch(body.url).catch(() => ({ status: 0 }))).status).not.toBe(200);
    await at.serveUsers(['ada']);
    await until('the application runs again', async () => {
      const answer = await fetch(body.url).catch(() => null);
      return answer?.status === 200;
    });
  });
});

describe('paths and methods', () => {
  it('an unknown path is 404, and a wrong method is 405 with the allowed ones', async () => {
    const at = await shared();

    expect(await call(at, 'GET', '/nothing/here')).toMatchObject({ status: 404, body: { error: expect.any(String) } });
    const wrong = await call(at, 'DELETE', '/events');
    expect(wrong.status).toBe(405);
    expect(wrong.headers.get('allow')).toBe('GET');
    expect((await call(at, 'GET', '/events/')).status).toBe(200);
    expect((await call(at, 'GET', '/apps/%E0%A4%A')).status).toBe(400);
  });
});
