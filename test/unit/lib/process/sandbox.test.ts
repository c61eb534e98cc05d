import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isRunning } from '../../../../lib/process/process-info.ts';
import { seenLimits } from '../../../../lib/process/sandbox.ts';
import { trySandbox } from '../../../../lib/process/sandbox-trial.ts';
import { newFolder } from '../../../support/new-folder.ts';
import { descendants } from '../../../support/service/processes.ts';

describe.runIf('bwrap' in (await trySandbox()))('a process in a sandbox', () => {
  it('ends with the one that has started it, whatever it has made of itself', async () => {
    const place = newFolder('sandboxed');
    const starter = new URL('../../../support/process/sandboxing-process.ts', import.meta.url).pathname;
    const child = spawn(process.execPath, ['--import', './bin/typescript.mjs', starter, place], { stdio: 'pipe' });
    await once(child.stdout, 'data');
    const pids = descendants(child.pid ?? 0).map(({ pid }) => pid);
    expect(pids.length).toBeGreaterThan(2);
    child.kill('SIGKILL');
    await expect.poll(() => pids.filter(isRunning)).toEqual([]);
  });
});

describe('the limits that a process in a sandbox sees', () => {
  const root = newFolder('cgroup');
  mkdirSync(join(root, 'system.slice/runner.service'), { recursive: true });
  const all = ['--ro-bind-try', '/sys/fs/cgroup', '/sys/fs/cgroup'];

  it('are those of its own group, as the first of its namespace', () => {
    const own = join(root, 'system.slice/runner.service');
    const seen = ['--unshare-cgroup-try', '--ro-bind-try', own, '/sys/fs/cgroup'];
    expect(seenLimits('0::/system.slice/runner.service\n', root)).toEqual(seen);
  });

  it.each([
    ['there are several hierarchies', '2:memory:/a\n0::/system.slice/runner.service\n'],
    ['its group is not to be seen', '0::/docker/one\n'],
    ['its group is outside of its namespace', '0::/../system.slice\n'],
    ['the system does not tell', ''],
  ])('are those of the machine where %s', (_, own) => {
    expect(seenLimits(own, root)).toEqual(all);
  });
});
