import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { lockInstance } from '../../../../lib/process/instance-lock.ts';
import { newFolder } from '../../../support/new-folder.ts';
import { bundledProgram } from '../../../support/process/program.ts';

const ended = JSON.stringify({ pid: 2 ** 22 + 1, startTime: 'long ago' });

describe('The lock of a data folder', () => {
  let folder: string;
  let file: string;
  beforeEach(() => {
    folder = newFolder('lock');
    file = join(folder, 'deeper', 'lock');
  });

  it('names its holder, and is gone when it is released', async () => {
    const release = await lockInstance(file);
    expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ pid: process.pid });
    expect(readdirSync(join(folder, 'deeper'))).toEqual(['lock']);
    release();
    expect(existsSync(file)).toBe(false);
  });

  it.each([ended, '', 'garbage{', 'null'])('is taken over from a process that has ended: %j', async (text) => {
    (await lockInstance(file))();
    writeFileSync(file, text);
    (await lockInstance(file))();
    expect(readdirSync(join(folder, 'deeper'))).toEqual([]);
  });

  it('is refused while another process has it', async () => {
    const [holder] = await contenders(1);
    holder?.tryAt(0);
    expect(await holder?.said()).toBe('locked');
    await expect(lockInstance(file)).rejects.toThrow(`already runs in this folder (process ${holder?.child.pid})`);
    holder?.child.kill('SIGKILL');
    await once(holder?.child ?? process, 'exit');
    (await lockInstance(file))();
  });

  it('goes to one of several processes that take over at the same moment', async () => {
    (await lockInstance(file))();
    writeFileSync(file, ended);
    const all = await contenders(4);
    for (const { tryAt } of all) tryAt(Date.now() + 300);
    const said = await Promise.all(all.map((one) => one.said()));
    for (const { child } of all) child.kill('SIGKILL');
    expect(said.filter((word) => word === 'locked')).toHaveLength(1);
    expect(said.filter((word) => word.includes('already runs'))).toHaveLength(3);
  });

  /** Processes that have loaded everything, try at a moment that they are told, and hold the lock until they are killed. */
  async function contenders(count: number) {
    const module = await bundledProgram('lib/process/instance-lock.ts');
    const script = `
      const { lockInstance } = await import(${JSON.stringify(module)});
      process.stdin.once('data', async (at) => {
        while (Date.now() < Number(at));
        console.log(await lockInstance(${JSON.stringify(file)}).then(() => 'locked', ({ message }) => message));
      });
      console.log('ready');`;
    const contender = async () => {
      const args = ['--input-type=module', '-e', script];
      const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] });
      const said = async () => String((await once(child.stdout, 'data'))[0]).trim();
      await said();
      return { child, said, tryAt: (time: number) => void child.stdin.write(String(time)) };
    };
    return Promise.all(Array.from({ length: count }, contender));
  }
});
