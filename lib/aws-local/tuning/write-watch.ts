import { type FSWatcher, watch } from 'node:fs';
import { basename, dirname } from 'node:path';

/** Tells of writes to the emulator's database, whoever writes. */
export interface DatabaseWrites {
  /** Calls `onWrite` once, at the next write from now on. Asking again before that changes nothing. */
  next(onWrite: () => void): void;
  close(): void;
}

/**
 * Looks at the database's write-ahead log (https://sqlite.org/wal.html), to which a transaction is written just before its
 * writer has the answer. Once and not for good: a transaction is dozens of writes, of each of which the kernel would tell.
 * Where there are no watches left to give, nothing is told; whoever listens looks for itself as well, only later.
 */
export function databaseWrites(file: string): DatabaseWrites {
  const [folder, log] = [dirname(file), `${basename(file)}-wal`];
  let watcher: FSWatcher | undefined;
  const close = () => {
    watcher?.close();
    watcher = undefined;
  };
  const open = (onWrite: () => void): FSWatcher | undefined => {
    try {
      // The folder, for the file itself comes and goes.
      const opened = watch(folder, { persistent: false }, (_, name) => {
        // What the kernel has told already still comes after `close`.
        if (name !== log || opened !== watcher) return;
        close();
        onWrite();
      });
      return opened.on('error', close);
    } catch {
      return undefined;
    }
  };
  return {
    next: (onWrite) => {
      watcher ??= open(onWrite);
    },
    close,
  };
}
