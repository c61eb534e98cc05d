import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { isRunning } from '../../../../lib/process/process-info.ts';
import { seenLimits, settingsIn } from '../../../../lib/process/sandbox.ts';
import { trySandbox } from '../../../../lib/process/sandbox-trial.ts';
import { newFolder } from '../../../support/new-folder.ts';
import { descendants } from '../../../support/service/processes.ts';

/** Runs a program as an ordinary user who may take low ports, as in a unit with AmbientCapabilities. */
const CAPABLE = [
  ...['bwrap', '--die-with-parent', '--unshare-user', '--uid', '1000', '--gid', '1000'],
  ...['--cap-drop', 'ALL', '--cap-add', 'CAP_NET_BIND_SERVICE', '--dev-bind', '/', '/'],
];

describe.runIf('command' in (await trySandbox()))('a process in a sandbox', () => {
  it.each([
    ['one of this machine', [], tmpdir()],
    ['one with its data in /tmp', [], '/tmp'],
    ['one that may take low ports', CAPABLE, tmpdir()],
  ])('ends with its starter, %s, whatever it has made of itself', async (_who, [...before], parent) => {
    const place = mkdtempSync(join(parent, 'sandboxed-'));
    onTestFinished(() => rmSync(place, { recursive: true }));
    const starter = new URL('../../../support/process/sandboxing-process.ts', import.meta.url).pathname;
    const [program = '', ...args] = [...before, process.execPath, '--import', './bin/typescript.mjs', starter, place];
    const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    const [printed] = await Promise.race([once(child.stdout, 'data'), once(child, 'exit')]);
    expect(String(printed)).toBe('up\n');
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

describe('the global settings of npm', () => {
  it('are in a folder that a process in a sandbox does not see, where there are some', () => {
    const place = newFolder('prefixes');
    for (const prefix of ['one', 'two']) mkdirSync(join(place, prefix, 'etc'), { recursive: true });
    writeFileSync(join(place, 'one/etc/npmrc'), '//registry.example/:_authToken=secret\n');
    const prefixes = ['one', 'one', 'two', 'three'].map((name) => join(place, name));
    expect(settingsIn(prefixes)).toEqual([join(place, 'one/etc')]);
  });
});
