import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, it } from 'vitest';
import { type Closers, closeAll } from '../../../../lib/process/closing.ts';
import { isAlive, isRunning } from '../../../../lib/process/process-info.ts';

it('parts end in the opposite order of their start; one that does not end is named and holds up no other', async () => {
  const ended: string[] = [];
  const part = (name: string, work: Promise<unknown> = Promise.resolve()): Closers[number] => [
    name,
    () => {
      ended.push(name);
      return work;
    },
  ];
  const failing = Promise.reject(new Error('broken'));
  failing.catch(() => undefined);
  const warnings: string[] = [];

  const closers = [part('the lock'), part('the stack', new Promise(() => {})), part('the users', failing)];
  await closeAll(closers, { limitMs: 50, warn: (sentence) => warnings.push(sentence) });

  expect(ended).toEqual(['the users', 'the stack', 'the lock']);
  expect(warnings).toEqual([
    'At the end: the users could not be ended: broken.',
    'At the end: the stack has not ended within 0.05 s.',
  ]);
});

it.skipIf(process.platform !== 'linux')('a process that was killed and not reaped does not run', async () => {
  const parent = spawn('sh', ['-c', 'sleep 0.2 & echo $!; exec sleep 30'], { stdio: ['ignore', 'pipe', 'ignore'] });
  try {
    const [printed] = await once(parent.stdout, 'data');
    const pid = Number(printed);
    await expect.poll(() => isRunning(pid)).toBe(false);
    expect(isAlive(pid)).toBe(true);
    expect(isRunning(parent.pid ?? 0)).toBe(true);
  } finally {
    parent.kill('SIGKILL');
  }
});
