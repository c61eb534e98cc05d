import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import * as v from 'valibot';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Entry } from '../../functions/api/shapes/entry.ts';
import { watchGroup } from '../aws-local/watchdog.ts';
import { entryAddress, type GitFolder } from '../support/service/git-folder.ts';
import { project } from '../support/service/place.ts';
import { answering, type Restarted, restartedService } from '../support/service/restarted.ts';
import { gone } from '../support/service/service-process.ts';

const Log = v.object({ rows: v.array(Entry) });

// What runs is read from /proc.
describe.skipIf(process.platform !== 'linux')('npm start, ended in each way and started again', () => {
  let at: Restarted;
  let tree: GitFolder;
  let interrupted: string;

  beforeAll(async () => {
    at = restartedService('stopped');
    await at.start();
    tree = at.clone();
  });
  afterAll(() => at.remove());

  it('closes everything and exits with 0 on SIGTERM', async () => {
    expect(await at.end((service) => service.signal('SIGTERM'))).toBe(0);
    expect(at.isLocked()).toBe(false);
    expect(at.log()).toContain('"event":"service ends","because":"SIGTERM"');
  });

  it('deploys at the next start what was pushed while it was stopped', async () => {
    tree.commit({ 'server.js': answering('Pushed meanwhile') });
    expect(await tree.push()).toContain('is deployed when it starts next');
    // As if the first start had been ended between the push of the sample and the note that it was pushed.
    rmSync(join(at.dataDir, 'sample-deployed'));
    await at.start({ npm: true });
    while ((await at.page()) !== 'Pushed meanwhile') await setTimeout(50);
  });

  it('ends with all its processes when only npm is killed', async () => {
    tree.commit(at.waiting({ start: 'node waits.js' }, `require('./server.js');`));
    interrupted = new URL(entryAddress(await tree.push())).pathname;
    await at.itWaits();
    await at.end((service) => service.signal('SIGKILL'));
  });

  it('finishes the deploys of a killed one, and deploys a commit of which no hook has told', async () => {
    writeFileSync(at.released, '');
    const sha = tree.commit({ 'server.js': answering('Missed') });
    const repository = join(at.dataDir, 'repositories', 'repositories', 'demo', 'hello.git');
    // No hook of the repository runs, as when the service is killed between a push and its record.
    tree.git('--git-dir', repository, 'fetch', '--quiet', tree.folder, 'main:main');
    await at.start({ npm: true });
    while ((await at.page()) !== 'Missed') await setTimeout(50);
    expect((await at.api(interrupted, Entry)).status).toMatch(/^(?:ok|skipped)$/);
    const [newest] = (await at.api('/1/status/demo/webhooks?include_docs=true', Log)).rows;
    expect(newest).toMatchObject({ provider: 'git', commit: `demo/hello/${sha}`, doc: { message: 'A change' } });
  });

  it('goes on without a terminal, as under nohup, when the terminal closes, and ends on SIGTERM', async () => {
    const { pid } = JSON.parse(readFileSync(join(at.dataDir, 'lock'), 'utf8')) as { readonly pid: number };
    const service = at.process();
    const family = service.family();
    // It would outlive these tests as well, if they were killed now.
    const unwatch = watchGroup(service.pid);
    service.signalGroup('SIGHUP');
    await service.ended;
    // Longer than the service takes to notice that npm has ended.
    await setTimeout(1500);
    expect(await at.page()).toBe('Missed');
    // It also deploys: no program that it needs was in the group of the terminal.
    tree.commit({ 'after.txt': 'the terminal' });
    expect(await tree.pushAndWatch()).toMatch(/remote: live after /);
    process.kill(pid, 'SIGTERM');
    await gone(family, at.dataDir);
    unwatch();
  });

  it.skipIf(!existsSync('/usr/bin/script'))('ends with the terminal that it was started in', async () => {
    const command = ['/usr/bin/script', '-qec', `${process.execPath} bin/run.mjs local`, '/dev/null'];
    await at.start({ other: { command, folder: project } });
    await at.end((service) => service.signal('SIGKILL'));
  });

  it('leaves no process behind on Ctrl-C during the start', async () => {
    await at.start({}, /starting the platform/);
    expect(await at.end((service) => service.signalGroup('SIGINT'))).toBe(0);
    expect(at.process().output()).not.toMatch(/Error|\n {4}at /);
  });
});
