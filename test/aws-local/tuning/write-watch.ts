import { type FSWatcher, watch } from 'node:fs';
import { basename, dirname } from 'node:path';

/** Notifies of writes to the emulator's database, by any program. */
export interface DatabaseWrites {
  /** Calls `onWrite` once, at the next write. A second call before that has no effect. */
  next(onWrite: () => void): void;
  close(): void;
}

/**
 * Watches the database's write-ahead log (https://sqlite.org/wal.html), to which a transaction is written just before
 * its client gets the response. Each watch ends at the first event, because a transaction is dozens of writes. When the
 * system has no watches left, there are no notifications; callers must also poll.
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
      // The folder, because the file is removed and created again.
      const opened = watch(folder, { persistent: false }, (_, name) => {
        // Events that were already queued arrive after `close`.
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
