import { describe, expect, it } from 'vitest';
import {
  appFiles,
  deploy,
  hello,
  platform,
  refusalOf,
  serverFile,
  start,
  until,
} from '../../../support/platform/harness.ts';

describe('the users of the platform', () => {
  it('are those whom the service names: the applications of others end until they are named again', async () => {
    const at = await platform({ users: ['ada', 'bob'] });
    const app = await deploy(at, 'hello', '1', appFiles('hello', serverFile('here')));

    await at.serveUsers(['bob']);

    expect((await fetch(app.url)).status).toBe(503);
    expect(await refusalOf(start(at, 'hello', '1'))).toMatchObject({ status: 404 });
    await at.applications.list('bob');
    await at.serveUsers(['ada', 'bob']);
    await until('the application runs again', async () => (await fetch(app.url)).status === 200);
    await at.operations.stop(hello);
    await at.serveUsers(['bob']);
    await at.serveUsers(['ada']);
    expect((await at.applications.find(hello))?.state).toBe('stopped');
  });

  it('are remembered by the service: at a start the applications of others stay off', async () => {
    const first = await platform();
    const app = await deploy(first, 'hello', '1', appFiles('hello', serverFile('here')));
    await first.close();
    const at = await platform({ dataDir: first.dataDir, users: ['bob'] });
    expect((await fetch(app.url).catch(() => ({ status: 0 }))).status).not.toBe(200);
    await at.serveUsers(['ada']);
    await until('the application runs again', async () => {
      const answer = await fetch(app.url).catch(() => null);
      return answer?.status === 200;
    });
  });
});
