import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { extract, type Unpackers, unpackers } from '../../../../../lib/platform/build/unpackers.ts';
import type { GroupRegistry } from '../../../../../lib/process/group-registry.ts';
import { endMarked } from '../../../../../lib/process/marks.ts';
import { tarball, temporaryFolder } from '../../../../support/platform/harness.ts';

vi.mock(import('../../../../../lib/process/marks.ts'), { spy: true });

let all: Unpackers | undefined;
afterEach(() => all?.close());

/** Unpackers of which the processes that run are known. */
async function world(aheadMs: number) {
  const folder = await temporaryFolder();
  const running = new Map<number, string>();
  const groups: GroupRegistry = {
    add: ({ pgid, what }) => void running.set(pgid, what),
    remove: (pgid) => void running.delete(pgid),
    close: async () => undefined,
  };
  const own = unpackers({ groups, program: join(folder, 'unpack.cjs'), aheadMs });
  all = own;
  let count = 0;
  const unpack = async (text: string) => {
    count += 1;
    const [file, target] = [join(folder, `${count}.tgz`), join(folder, `${count}`)];
    await writeFile(file, await tarball({ 'a.txt': text }));
    await mkdir(target);
    const limits = { unpackedBytes: 2 ** 20, entries: 10 };
    await extract({
      tarball: file,
      target,
      limits,
      unpackers: own,
      what: 'ada/shop',
      signal: new AbortController().signal,
    });
    return readFile(join(target, 'a.txt'), 'utf8');
  };
  return { own, running, unpack };
}

const isAlive = (pid: number) => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

describe('a process that unpacks', () => {
  it('is started ahead after the first one, and each takes one tarball', async () => {
    const { running, unpack } = await world(0);
    expect(await unpack('one')).toBe('one');
    await expect.poll(() => [...running.values()]).toEqual(['the next tarball unpack']);
    const [ahead] = running.keys();
    expect(await unpack('two')).toBe('two');
    await expect.poll(() => [...running.keys()]).not.toContain(ahead);
  });

  it('is not started ahead while tarballs come in a rush', async () => {
    const { running, unpack } = await world(60_000);
    expect(await Promise.all([unpack('one'), unpack('two')])).toEqual(['one', 'two']);
    await expect.poll(() => [...running]).toEqual([]);
  });

  it('ends without a search for processes that it has left behind: the next stages of the deploy run meanwhile', async () => {
    const { running, unpack } = await world(60_000);
    await unpack('one');
    await expect.poll(() => running.size).toBe(0);
    expect(endMarked).not.toHaveBeenCalled();
  });

  it('is replaced when it has been ended by someone else', async () => {
    const { running, unpack } = await world(0);
    await unpack('one');
    await expect.poll(() => running.size).toBe(1);
    for (const pid of running.keys()) process.kill(pid, 'SIGKILL');
    await expect.poll(() => running.size).toBe(0);
    expect(await unpack('two')).toBe('two');
  });

  it('ends with the platform', async () => {
    const { own, running, unpack } = await world(0);
    await unpack('one');
    await expect.poll(() => running.size).toBe(1);
    const pids = [...running.keys()];
    await own.close();
    expect([running.size, pids.filter(isAlive)]).toEqual([0, []]);
  });

  it('ends by itself when the platform is killed, and unpacks nothing', async () => {
    const { own } = await world(60_000);
    const { group } = await own.take('ada/shop');
    group.input?.end();
    expect(await group.exited).toEqual({ code: 0, signal: null });
  });
});
