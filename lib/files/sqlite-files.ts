import { open } from 'node:fs/promises';
import { UNFOLLOWED } from './opened.ts';

/** What SQLite has beside a database, by the ends of the names. */
export const BESIDE = ['-wal', '-shm', '-journal'];

const HEADER = 'SQLite format 3\0';

/** Whether a file is a database of SQLite. Links are not followed. */
export async function isDatabase(file: string | Buffer): Promise<boolean> {
  const handle = await open(file, UNFOLLOWED).catch(() => null);
  if (!handle) return false;
  try {
    const { buffer, bytesRead } = await handle.read({ buffer: Buffer.alloc(HEADER.length), position: 0 });
    return bytesRead === HEADER.length && buffer.toString('latin1') === HEADER;
  } catch {
    return false;
  } finally {
    await handle.close();
  }
}
