import { expect, it, vi } from 'vitest';
import { application, entryAddress, gitFolder } from '../support/service/git-folder.ts';
import { startStackForTest } from './service/started.ts';

vi.setConfig({ testTimeout: 240_000 });

it('commands and cron of an application run with what their functions may do', async () => {
  const started = await startStackForTest({ name: 'jobs' });
  try {
    const { repoHost, runtime } = started.service;
    await repoHost.createRepository('demo', 'journey');
    const tree = gitFolder(repoHost.repositoryPath('demo', 'journey'));
    const schedule = { cron: [{ command: 'echo on time', schedule: '* * * * * *' }] };
    tree.commit({ ...application('journey', 'hello'), 'app.json': JSON.stringify(schedule) });
    const live = await started.until(entryAddress(await tree.push()), 'ok', 'error');
    expect(live).toMatchObject({ status: 'ok', reason: null });
    const runs = '/1/apps/demo/journey/runs';
    const { body } = await started.call(runs, {
      method: 'POST',
      body: JSON.stringify({ command: ['node', '-e', 'console.log(process.env.NODE_ENV); process.exit(3)'] }),
    });
    const said = String((await started.call(`${runs}/${body.id}`)).body);
    expect(said).toContain(JSON.stringify({ stream: 'stdout', data: Buffer.from('production\n').toString('base64') }));
    expect(said).toContain('{"exit":3,"reason":null}');
    const listed = async () => (await started.call('/1/apps/demo/journey/processes')).body;
    expect(await listed()).toMatchObject({ processes: [], cron: [{ name: '@cron.1', next: expect.any(String) }] });
    // As the schedule does each minute.
    await runtime.invoke('Pipelinewatchapps', {});
    await vi.waitUntil(async () => (await listed()).cron[0].last?.exit === 0, { timeout: 60_000, interval: 500 });
    const logged = async () => String((await started.call('/1/apps/demo/journey/logs')).body);
    await vi.waitFor(async () => expect(await logged()).toContain('"process":"@cron.1","line":"on time"'), 30_000);
    const removed = (await started.call('/1/apps/demo/journey', { method: 'DELETE' })).body;
    expect(await started.until(removed.id, 'ok', 'error')).toMatchObject({ status: 'ok' });
  } finally {
    await started.close();
  }
});
