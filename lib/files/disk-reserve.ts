import { randomFillSync } from 'node:crypto';
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { diskSpace } from './disk-usage.ts';
import { hasCode, isFull } from './errors.ts';

/** Room on the disk that is kept for what must work when it is full, in a folder of files. */
export interface DiskReserve {
  /**
   * Does something that writes little; when the disk is full, once more with a part of the reserve freed. For what ends
   * something: other work would use the reserve up.
   */
  use<T>(work: () => Promise<T>): Promise<T>;
  /**
   * Frees a part when nothing can be written any more, or makes the reserve again when there is room; done every five
   * seconds.
   */
  check(): Promise<void>;
  /** Ends the checks; the files stay, for the next start. */
  close(): Promise<void>;
}

interface ReserveOptions {
  readonly folder: string;
  /** Gets a sentence when a part was freed by a check. */
  readonly warn?: (sentence: string) => void;
  /** Returns the free bytes of the disk of a folder. */
  readonly freeBytes?: (folder: string) => Promise<number>;
}

const PARTS = 8;
const PART_BYTES = 2 * 1024 * 1024;
const ALL_BYTES = PARTS * PART_BYTES;
/** A database cannot write with less. */
const FULL_BYTES = 512 * 1024;
/** The last parts are freed by `use` and by the next start only. */
const KEPT_PARTS = 4;
const CHECK_EVERY_MS = 5_000;

/** Opens the reserve, and frees all of it first when a start would have too little room. */
export async function openReserve({
  folder,
  warn,
  freeBytes = async (path) => (await diskSpace(path)).free,
}: ReserveOptions): Promise<DiskReserve> {
  const parts = () => partsIn(folder);
  const free = (names: readonly string[]) => removeParts(folder, names);
  // A folder that cannot be looked at is told by the first write.
  const room = () => freeBytes(dirname(folder)).catch(() => 0);
  const fill = async () => {
    // A shared buffer: unused buffers stay in memory for minutes.
    const bytes = Buffer.alloc(PART_BYTES);
    for (let part = 0; part < PARTS; part += 1) {
      const file = join(folder, String(part));
      // Bytes that no file system can compress.
      const filled = writeFile(file, randomFillSync(bytes), { flag: 'wx', mode: 0o600 });
      await filled.catch((error: unknown) => (hasCode(error, 'EEXIST') ? undefined : rm(file, { force: true })));
    }
  };
  const check = async () => {
    const [left, bytes] = [await parts(), await room()];
    // Three times as much, so that a disk that is nearly full does not get and lose it in turns.
    if (left.length < PARTS && bytes > 3 * ALL_BYTES) return fill();
    if (bytes >= FULL_BYTES || left.length <= KEPT_PARTS) return;
    await free(left.slice(-1));
    warn?.('The disk of the data folder is full: a part of its reserve was freed. Remove files, or an application.');
  };
  await mkdir(folder, { recursive: true, mode: 0o700 }).catch(() => undefined);
  if ((await room()) < ALL_BYTES) await free(await parts());
  let checking = Promise.resolve();
  // One after another: a check that is under way would make a part again that another has freed.
  const checkNext = () => {
    checking = checking.then(check).catch(() => undefined);
    return checking;
  };
  void checkNext();
  const timer = setInterval(checkNext, CHECK_EVERY_MS).unref();
  return {
    ...reserveIn(folder),
    check: checkNext,
    close: async () => {
      clearInterval(timer);
      await checking;
    },
  };
}

/** Returns the use of a reserve that another thread has opened and checks. */
export function reserveIn(folder: string): Pick<DiskReserve, 'use'> {
  return {
    use: async (work) => {
      try {
        return await work();
      } catch (error) {
        const [last] = (await partsIn(folder)).slice(-1);
        if (!isFull(error) || last === undefined) throw error;
        await removeParts(folder, [last]);
        return work();
      }
    },
  };
}

async function partsIn(folder: string): Promise<readonly string[]> {
  return (await readdir(folder).catch(() => [])).sort();
}

async function removeParts(folder: string, names: readonly string[]): Promise<void> {
  await Promise.all(names.map((name) => rm(join(folder, name), { force: true })));
}

/** For where no disk is looked after. */
export const NO_RESERVE: Pick<DiskReserve, 'use'> = { use: (work) => work() };
