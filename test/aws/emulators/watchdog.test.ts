import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterEach, describe, expect, it } from 'vitest';
import { bundledProgram } from '../../support/process/program.ts';
import { descendants, type ProcessMark, signalIfThere, stillRunning } from '../../support/service/processes.ts';

const children: ChildProcess[] = [];

/** A process that has started a command which ignores SIGTERM. */
async function watchingProcess(
  ...args: string[]
): Promise<{ parent: ChildProcess; family: () => readonly ProcessMark[] }> {
  const program = await bundledProgram('test/support/process/watching-process.ts');
  const parent = spawn(process.execPath, [program, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  children.push(parent);
  await once(parent.stdout, 'data');
  return { parent, family: () => descendants(parent.pid ?? 0) };
}

// Families are read from /proc.
describe.skipIf(process.platform !== 'linux')('The watchdog of process groups', () => {
  afterEach(() => {
    for (const child of children.splice(0)) child.kill('SIGKILL');
  });

  it('ends a command that ignores SIGTERM when the process that started it is killed, and then itself', async () => {
    const { parent, family } = await watchingProcess();
    const before = family();
    expect(before.map(({ command }) => command).join('\n')).toMatch(/trap/);
    parent.kill('SIGKILL');
    await expect.poll(() => stillRunning(before)).toEqual([]);
  });

  it('ends a command of which it was not told yet', async () => {
    const { parent, family } = await watchingProcess('untold');
    const before = family();
    expect(before.map(({ command }) => command).join('\n')).toMatch(/trap/);
    parent.kill('SIGKILL');
    await expect.poll(() => stillRunning(before)).toEqual([]);
  });

  it('is started again when it is killed, and still ends the command', async () => {
    const { parent, family } = await watchingProcess();
    const watchdogs = () => family().filter(({ command }) => command.includes('watchdog.mjs'));
    const [first] = watchdogs();
    signalIfThere(first?.pid ?? 0, 'SIGKILL');
    await expect.poll(() => watchdogs().map(({ pid }) => pid)).not.toEqual([first?.pid]);
    await expect.poll(() => watchdogs().length).toBe(1);
    const before = family();
    parent.kill('SIGKILL');
    await expect.poll(() => stillRunning(before)).toEqual([]);
  });
});
