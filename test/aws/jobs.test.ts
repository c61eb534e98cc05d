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
    const failing = { command: 'echo broken; exit 4', schedule: '* * * * * *' };
    const schedule = { cron: [{ command: 'echo on time', schedule: '* * * * * *' }, failing] };
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
    expect(await listed()).toMatchObject({ processes: [], cron: [{ name: '@cron.1', next: expect.any(String) }, {}] });
    // As the schedule does each minute.
    await runtime.invoke('Pipelinewatchapps', {});
    await vi.waitUntil(async () => (await listed()).cron[0].last?.exit === 0, { timeout: 60_000, interval: 500 });
    const logged = async () => String((await started.call('/1/apps/demo/journey/logs')).body);
    await vi.waitFor(async () => expect(await logged()).toContain('"process":"@cron.1","line":"on time"'), 30_000);
    // By the watch's own role: it appends to the log.
    const incidents = async () => {
      await runtime.invoke('Pipelinewatchapps', {});
      const { body: log } = await started.call('/1/status/demo/webhooks?include_docs=true');
      return log.rows.filter((row: { operation?: string }) => row.operation === 'incident');
    };
    await vi.waitUntil(async () => (await incidents()).length > 0, { timeout: 60_000, interval: 1_000 });
    const about = 'The job "echo broken; exit 4" (* * * * * *)';
    expect(await incidents()).toMatchObject([{ status: 'crashed', reason: `${about} exited with code 4.` }]);
    const removed = (await started.call('/1/apps/demo/journey', { method: 'DELETE' })).body;
    expect(await started.until(removed.id, 'ok', 'error')).toMatchObject({ status: 'ok' });
    const isOver = async () => (await incidents())[0].status === 'ok';
    await vi.waitUntil(isOver, { timeout: 60_000, interval: 1_000 });
    expect(await incidents()).toMatchObject([{ doc: { message: `${about} is not there any more.` } }]);
  } finally {
    await started.close();
  }
});
