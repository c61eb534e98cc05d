import { spawnSync } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { bundled } from '../../../../lib/bundle/bundle.mjs';
import { bundleProgram, installHook } from '../../../../lib/repohost/push/hook.ts';
import { openRepositories, startRepoHost } from '../../../../lib/repohost/repohost.ts';
import { fakeReceiver } from '../../../fakes/receiver.ts';
import { temporaryFolder, workingCopy } from '../../../support/repohost-fixture.ts';

let folder: ReturnType<typeof temporaryFolder>;

beforeEach(() => {
  folder = temporaryFolder();
});
afterEach(() => folder.remove());

describe('The hook of a repository', () => {
  it('The hook and its program are replaced and never changed: a push that runs them reads what it began to read', async () => {
    const repository = join(folder.path, 'x.git');
    const program = join(folder.path, 'post-receive.mjs');
    const hook = join(repository, 'hooks', 'post-receive');
    mkdirSync(repository);
    const write = async () => {
      // It is made again when its record says that a source has changed.
      rmSync(`${program}.inputs.json`, { force: true });
      await bundleProgram(program);
      installHook(repository, program, folder.path);
      return [statSync(program).ino, statSync(hook).ino];
    };
    const before = await write();
    // Holds the files, so that the system does not give their numbers to the next ones.
    const held = [program, hook].map((file) => openSync(file, 'r'));
    const after = await write();
    for (const file of held) closeSync(file);
    expect(after.filter((inode) => before.includes(inode))).toEqual([]);
    expect(statSync(hook).mode & 0o777).toBe(0o755);
    expect(readdirSync(folder.path).filter((name) => name.endsWith('.tmp'))).toEqual([]);
  });

  it('The helper process of the bundles ends with the last of them', async () => {
    const entry = 'lib/builder/start/static-server.cjs';
    await Promise.all(['one.mjs', 'two.mjs'].map((name) => bundled({ entry, outfile: join(folder.path, name) })));
    const children = () => spawnSync('ps', ['-A', '-o', 'ppid=,args='], { encoding: 'utf8' }).stdout;
    // One that has ended and was not reaped yet is "[esbuild] <defunct>".
    const helper = new RegExp(`^ *${process.pid} (?!.*<defunct>).*esbuild`, 'm');
    await expect.poll(children).not.toMatch(helper);
  });

  it('No push is lost while the host writes its hooks again', async () => {
    const receiver = fakeReceiver();
    const dataDir = join(folder.path, 'data');
    const open = await openRepositories(dataDir);
    const host = await startRepoHost(open, { port: 0, verify: async () => false, receiver });
    await host.createRepository('ada', 'busy');
    const remote = host.repositoryPath('ada', 'busy');
    const copy = workingCopy(join(folder.path, 'work'));
    let pushing = true;
    const rewriting = (async () => {
      while (pushing) {
        rmSync(join(dataDir, 'post-receive.mjs.inputs.json'), { force: true });
        await bundleProgram(join(dataDir, 'post-receive.mjs'));
        installHook(remote, join(dataDir, 'post-receive.mjs'), dataDir);
        // The pushes go on in this process too, and need the processor.
        await setTimeout(10);
      }
    })();
    const pushed: string[] = [];
    try {
      for (let times = 0; times < 3; times += 1) {
        pushed.push(await copy.commit(`${times}`, { n: `${times}` }));
        await copy.git('push', '--quiet', remote, 'main');
      }
    } finally {
      pushing = false;
      await rewriting;
    }
    expect(receiver.pushes.map(({ after }) => after)).toEqual(pushed);
    await host.close();
  });
});
