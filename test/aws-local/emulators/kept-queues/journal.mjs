// A file to which records are appended, one JSON object a line. At the start, and when it has grown, it is replaced by
// the records that describe the present state.
import {
  closeSync,
  constants,
  copyFileSync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { recordIn } from './records.mjs';

const HEADER = '{"journal":"queues","version":1}';
const PART = '.part';
const UNREAD = '.unread';
/** Below this size it is not written anew. */
const SMALL_BYTES = 4 * 1024 * 1024;
const GROWTH = 4;

/**
 * Returns the records of a journal and the time of the last one (`keptUntil`, milliseconds; null when there is none, or
 * some are lost). A line that a kill has torn at the end was never acknowledged, and is left out. When the journal is
 * damaged, or of another version, `unread` is the path of a copy of it.
 */
export function readJournal(path) {
  const text = textOf(path);
  if (text === null) return { records: [], keptUntil: null };
  const [first, ...rest] = text.split('\n');
  if (isOtherHeader(first)) return { records: [], keptUntil: null, unread: copied(path) };
  const lines = first === HEADER ? rest : [first, ...rest];
  const tail = lines.pop() ?? '';
  const read = lines.map(recordIn);
  const records = [...read, recordIn(tail)].filter((record) => record !== undefined);
  // Zeros are what a power cut leaves of the last blocks of a file.
  if (first === HEADER && !read.includes(undefined) && !tail.includes('\0')) {
    return { records, keptUntil: Math.floor(statSync(path).mtimeMs) };
  }
  return { records, keptUntil: null, unread: copied(path) };
}

function textOf(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    // Not every error of a read names its file.
    if (error.code !== 'ENOENT') throw Object.assign(error, { path });
    return null;
  }
}

function isOtherHeader(line) {
  try {
    return line !== HEADER && JSON.parse(line).journal !== undefined;
  } catch {
    return false;
  }
}

/** A copy and not a new name: after a kill the next start still has the journal. Earlier copies stay. */
function copied(path) {
  for (let place = 1; ; place += 1) {
    const copy = `${path}${UNREAD}${place === 1 ? '' : `-${place}`}`;
    try {
      copyFileSync(path, copy, constants.COPYFILE_EXCL);
      return copy;
    } catch (error) {
      if (error.code !== 'EEXIST') throw error;
    }
  }
}

/**
 * The journal that is written. Each record is with the system when `append` returns, so it survives a kill of this
 * process; nothing waits for the disk, so a power cut may lose the last seconds.
 */
export class Journal {
  #path;
  #snapshot;
  #file;
  #size = 0;
  #limit = 0;
  /** Whether a record is missing, or its line is torn. */
  #isBehind = false;
  /** Nothing is written after the end: the next start may use the file, and another file the descriptor. */
  #isClosed = false;

  /** `snapshot` returns the records that everything so far amounts to. */
  constructor(path, snapshot) {
    this.#path = path;
    this.#snapshot = snapshot;
    this.#writeAnew();
  }

  /** Appends a record. Throws when it cannot be written; the next one that can be written makes up for it. */
  append(record) {
    if (this.#isClosed) throw new Error('The journal is closed.');
    if (this.#isBehind) this.#writeAnew();
    else if (this.#size > this.#limit) this.#shorten();
    const line = lineOf(record);
    this.#isBehind = true;
    writeAll(this.#file, line, this.#size);
    this.#size += line.length;
    this.#isBehind = false;
  }

  close() {
    this.#isClosed = true;
    closeSync(this.#file);
  }

  #shorten() {
    try {
      this.#writeAnew();
    } catch {
      // The long file is as good. It is shortened when it has grown as much again.
      this.#limit = GROWTH * this.#size;
    }
  }

  /** Writes it beside its place and renames it, so that a kill leaves one of both. */
  #writeAnew() {
    const part = this.#path + PART;
    const file = openSync(part, 'w', 0o600);
    let size = 0;
    try {
      for (const line of [Buffer.from(`${HEADER}\n`), ...Array.from(this.#snapshot(), lineOf)]) {
        writeAll(file, line, size);
        size += line.length;
      }
      fsyncSync(file);
      renameSync(part, this.#path);
    } catch (error) {
      closeSync(file);
      rmSync(part, { force: true });
      throw error;
    }
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = file;
    this.#size = size;
    this.#limit = Math.max(SMALL_BYTES, GROWTH * size);
    this.#isBehind = false;
  }
}

function lineOf(record) {
  return Buffer.from(`${JSON.stringify(record)}\n`);
}

function writeAll(file, bytes, position) {
  for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at, bytes.length - at, position + at);
}
