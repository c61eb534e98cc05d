import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AttendedPushes } from './attended-pushes.ts';
import { SOCKET } from './report.ts';

/** The path of a socket has at most 104 bytes on macOS, and 108 on Linux. */
const MAX_PATH_BYTES = 100;

/**
 * Listens for the hooks of pushes into a folder. The data folder is its owner's only, which keeps others away. Returns
 * what ends it.
 */
export async function listenForHooks(
  root: string,
  pushes: Pick<AttendedPushes, 'attend'>,
): Promise<() => Promise<void>> {
  const open = new Set<Socket>();
  const server = createServer((channel) => {
    const gone = new AbortController();
    open.add(channel.on('error', () => {}));
    channel.once('close', () => {
      open.delete(channel);
      gone.abort();
    });
    pushes.attend({ pusher: null }, { channel, gone: gone.signal });
  });
  // A host that was killed has left it.
  rmSync(join(root, SOCKET), { force: true });
  await listenIn(root, server);
  return async () => {
    const closed = new Promise((resolve) => server.close(resolve));
    for (const channel of open) channel.destroy();
    await closed;
    rmSync(join(root, SOCKET), { force: true });
  };
}

async function listenIn(root: string, server: Server): Promise<void> {
  const listening = (folder: string) =>
    new Promise<void>((resolve, reject) => {
      server.once('error', reject).listen(join(folder, SOCKET), resolve);
    });
  if (Buffer.byteLength(join(root, SOCKET)) <= MAX_PATH_BYTES) return listening(root);
  const scratch = mkdtempSync(join(tmpdir(), 'hook-'));
  try {
    symlinkSync(root, join(scratch, 'to'));
    await listening(join(scratch, 'to'));
  } finally {
    rmSync(scratch, { recursive: true });
  }
}
