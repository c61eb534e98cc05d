import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { lockInstance } from '../../../../lib/process/instance-lock.ts';

const ended = JSON.stringify({ pid: 2 ** 22 + 1, startTime: 'long ago' });

describe('The lock of a data folder', () => {
  let folder: string;
  let file: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'lock-'));
    file = join(folder, 'deeper', 'lock');
  });
  afterEach(() => rmSync(folder, { recursive: true }));

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
    const [holder] = contenders(1);
    expect(await holder?.said).toBe('locked');
    await expect(lockInstance(file)).rejects.toThrow(`already runs in this folder (process ${holder?.child.pid})`);
    holder?.child.kill('SIGKILL');
    await once(holder?.child ?? process, 'exit');
    (await lockInstance(file))();
  });

  it('goes to one of several processes that take over at the same moment', async () => {
    (await lockInstance(file))();
    writeFileSync(file, ended);
    const all = contenders(4, Date.now() + 6_000);
    const said = await Promise.all(all.map(({ said }) => said));
    for (const { child } of all) child.kill('SIGKILL');
    expect(said.filter((word) => word === 'locked')).toHaveLength(1);
    expect(said.filter((word) => word.includes('already runs'))).toHaveLength(3);
  });

  /** Processes that try at the same moment, and hold the lock until they are killed. */
  function contenders(count: number, at = 0) {
    const module = new URL('../../../../lib/process/instance-lock.ts', import.meta.url).href;
    const script = `
      const { lockInstance } = await import(${JSON.stringify(module)});
      while (Date.now() < ${at});
      setInterval(() => {}, 1000);
      const said = await lockInstance(${JSON.stringify(file)}).then(() => 'locked', ({ message }) => message);
      console.log(said);`;
    return Array.from({ length: count }, () => {
      const args = ['--import', 'tsx', '--input-type=module', '-e', script];
      const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
      const said = once(child.stdout, 'data').then(([line]) => String(line).trim());
      return { child, said };
    });
  }
});
