import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type DiskReserve, openReserve } from '../../../../lib/files/disk-reserve.ts';
import { newFolder } from '../../../support/new-folder.ts';

const MiB = 1024 * 1024;
const noSpace = () => Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' });

describe('The reserve of the disk', () => {
  let parent: string;
  let folder: string;
  let free: number;
  let opened: DiskReserve[] = [];
  const sentences: string[] = [];
  beforeEach(() => {
    parent = newFolder('reserve');
    folder = join(parent, 'reserve');
    free = 1000 * MiB;
    sentences.length = 0;
  });
  afterEach(async () => {
    for (const one of opened.splice(0)) await one.close();
  });

  const open = async () => {
    const reserve = await openReserve({
      folder,
      warn: (sentence) => sentences.push(sentence),
      freeBytes: async () => free,
    });
    opened = [...opened, reserve];
    await reserve.check();
    return reserve;
  };
  const parts = () => readdirSync(folder).length;
  /** Work that fails until this many parts are left. */
  const fitsWith = (most: number) => async () => {
    if (parts() > most) throw noSpace();
    return 'done';
  };

  it('is made where there is room for it', async () => {
    await open();
    expect(parts()).toBe(8);
  });

  it('is not made on a disk that is nearly full', async () => {
    free = 20 * MiB;
    await open();
    expect(parts()).toBe(0);
  });

  it('gives a part to work that finds the disk full, and nothing to work that fails by something else', async () => {
    const reserve = await open();
    // Too little for a check to make it again meanwhile.
    free = 20 * MiB;
    expect(await reserve.use(fitsWith(7))).toBe('done');
    expect(parts()).toBe(7);
    await expect(reserve.use(() => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
    expect(parts()).toBe(7);
  });

  it('is made again when there is room', async () => {
    const reserve = await open();
    await reserve.use(fitsWith(7));
    await reserve.check();
    expect(parts()).toBe(8);
  });

  it('gives half of it to all that write to a full disk, and keeps the rest for what must end', async () => {
    const reserve = await open();
    free = 0;
    for (let time = 0; time < 10; time += 1) await reserve.check();
    expect(parts()).toBe(4);
    expect(sentences).toHaveLength(4);
    expect(await reserve.use(fitsWith(3))).toBe('done');
    expect(parts()).toBe(3);
  });

  it('is freed as a whole for a start on a full disk', async () => {
    await (await open()).close();
    free = 0;
    await open();
    expect(parts()).toBe(0);
  });
});
