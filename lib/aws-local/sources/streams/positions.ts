import { readFileSync } from 'node:fs';
import { parse, record, string } from 'valibot';
import { writeStateSync } from '../../../processes/state-file.ts';

/** How far each reader of a shard has come: the sequence number of the last record that is done with. */
export interface Positions {
  get(reader: string): string | undefined;
  set(reader: string, sequenceNumber: string): void;
  /** Writes what is not yet written. */
  close(): void;
}

const WRITE_AFTER_MS = 1000;

/** Positions kept in a JSON file; one that cannot be read counts as empty, since records may come twice anyway. */
export function openPositions(file: string | undefined): Positions {
  const positions = new Map(Object.entries(file === undefined ? {} : read(file)));
  let timer: NodeJS.Timeout | undefined;
  const write = () => {
    clearTimeout(timer);
    timer = undefined;
    if (file === undefined) return;
    writeStateSync(file, Object.fromEntries(positions));
  };
  return {
    get: (reader) => positions.get(reader),
    set: (reader, sequenceNumber) => {
      positions.set(reader, sequenceNumber);
      timer ??= setTimeout(write, WRITE_AFTER_MS);
    },
    close: () => {
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
