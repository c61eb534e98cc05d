import { readFileSync } from 'node:fs';
import { parse, record, string } from 'valibot';
import { writeStateSync } from '../../../../lib/files/state-file.ts';

/** The position of each shard's reader: the sequence number of the last record that was handled. */
export interface Positions {
  get(reader: string): string | undefined;
  set(reader: string, sequenceNumber: string): void;
  /** Writes pending changes, if it can. */
  close(): void;
}

const WRITE_AFTER_MS = 1000;

/**
 * Opens positions in a JSON file. An unreadable file counts as empty, because records may be delivered twice anyway. A
 * write that fails, for instance on a full disk, is tried again.
 */
export function openPositions(file: string | undefined): Positions {
  const positions = new Map(Object.entries(file === undefined ? {} : read(file)));
  let timer: NodeJS.Timeout | undefined;
  let closed = false;
  const write = () => {
    clearTimeout(timer);
    timer = undefined;
    if (file === undefined) return;
    try {
      writeStateSync(file, Object.fromEntries(positions));
    } catch {
      if (!closed) timer = setTimeout(write, WRITE_AFTER_MS);
    }
  };
  return {
    get: (reader) => positions.get(reader),
    set: (reader, sequenceNumber) => {
      positions.set(reader, sequenceNumber);
      timer ??= setTimeout(write, WRITE_AFTER_MS);
    },
    close: () => {
      closed = true;
      if (timer) write();
    },
  };
}

function read(file: string): Record<string, string> {
  try {
    return parse(record(string(), string()), JSON.parse(readFileSync(file, 'utf8')));
  } catch {
    return {};
  }
}
