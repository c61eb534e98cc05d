import { statfs } from 'node:fs/promises';
import { freemem, totalmem } from 'node:os';

/** Returns how much memory and disk the machine has, and how much of each is free; the disk is that of the folder. */
export async function machineOf(folder: string) {
  const { bavail, blocks, bsize } = await statfs(folder);
  return {
    memory: { total: totalmem(), free: freemem() },
    disk: { total: blocks * bsize, free: bavail * bsize },
  };
}
