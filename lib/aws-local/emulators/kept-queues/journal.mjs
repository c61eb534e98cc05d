// A file to which records are appended, one JSON object a line. It is written anew at the start and when it has grown,
// with what the records amount to.
import { closeSync, fsyncSync, openSync, readFileSync, renameSync, rmSync, statSync, writeSync } from 'node:fs';

const HEADER = '{"journal":"queues","version":1}';
const PART = '.part';
const UNREAD = '.unread';
/** Below this size it is not written anew. */
const SMALL_BYTES = 4 * 1024 * 1024;
const GROWTH = 4;

/**
 * Returns the records of a journal and the time of the last one (`keptUntil`, milliseconds; null without a journal).
 * Lines that are torn are left out. What is no journal of this version is renamed: `unread` is its new path.
 */
export function readJournal(path) {
  const text = textOf(path);
  if (text === null) return { records: [], keptUntil: null };
  const [header, ...lines] = text.split('\n');
  if (header !== HEADER) {
    renameSync(path, path + UNREAD);
    return { records: [], keptUntil: null, unread: path + UNREAD };
  }
  return { records: lines.flatMap(recordIn), keptUntil: Math.floor(statSync(path).mtimeMs) };
}

function textOf(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (error.code !== 'ENOENT') throw error;
    return null;
  }
}

function recordIn(line) {
  try {
    return [JSON.parse(line)];
  } catch {
    return [];
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
  /** What comes later must not be written: the next start may have the file, or another file the descriptor. */
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
      // The long one is as good. It is tried again when it has grown by as much.
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
