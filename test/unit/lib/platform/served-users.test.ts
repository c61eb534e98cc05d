import { describe, expect, it } from 'vitest';
import {
  appFiles,
  call,
  deploy,
  platform,
  serverFile,
  sharedPlatform,
  until,
} from '../../../support/platform/harness.ts';

const shared = sharedPlatform();

describe('the users of the platform', () => {
  it('have no applications before their first deploy', async () => {
    expect((await call(await shared(), 'GET', '/apps/nobody')).body).toEqual({ apps: [] });
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
