// Buckets whose objects are files: the emulator's own store has them in memory. Plain JavaScript, as the worker that
// uses it.
import { createHash } from 'node:crypto';
import {
  closeSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';

/** The emulator takes another store, and exports no class of it. */
const { S3Store } = await import(new URL('s3/s3Store.js', import.meta.resolve('fauxqs')).href);

/** A file begins with a line of JSON about the object, at most this long. */
const MAX_HEADER_BYTES = 16 * 1024;
const PART = '.part';

/**
 * Returns a store whose objects survive a restart, also after a kill: each is a file in a folder of its bucket, for its
 * owner only. A bucket has its objects again when it is created again.
 */
export function keptObjects(folder) {
  return new KeptObjects(folder);
}

class KeptObjects extends S3Store {
  constructor(folder) {
    super();
    this.folder = folder;
  }

  createBucket(name) {
    if (this.hasBucket(name)) return;
    super.createBucket(name);
    mkdirSync(this.#folderOf(name), { recursive: true, mode: 0o700 });
    for (const file of readdirSync(this.#folderOf(name))) this.#load(name, join(this.#folderOf(name), file));
  }

  putObject(bucket, key, body, contentType, metadata) {
    return this.#keep(bucket, super.putObject(bucket, key, body, contentType, metadata));
  }

  completeMultipartUpload(uploadId, parts) {
    const bucket = this.multipartUploads.get(uploadId)?.bucket;
    return this.#keep(bucket, super.completeMultipartUpload(uploadId, parts));
  }

  deleteObject(bucket, key) {
    super.deleteObject(bucket, key);
    rmSync(this.#fileOf(bucket, key), { force: true });
  }

  #folderOf(bucket) {
    return join(this.folder, encodeURIComponent(bucket));
  }

  /** Keys may be longer than names of files. */
  #fileOf(bucket, key) {
    return join(this.#folderOf(bucket), createHash('sha256').update(key).digest('hex'));
  }

  /** Writes the object beside its place and renames it, and keeps nothing of its body in memory. */
  #keep(bucket, object) {
    const { body, ...header } = object;
    const file = this.#fileOf(bucket, object.key);
    const line = Buffer.from(`${JSON.stringify(header)}\n`);
    const written = openSync(file + PART, 'w', 0o600);
    try {
      for (const bytes of [line, body]) writeAll(written, bytes);
    } finally {
      closeSync(written);
    }
    renameSync(file + PART, file);
    return this.#put(bucket, header, { file, offset: line.length });
  }

  #load(bucket, file) {
    if (file.endsWith(PART)) return rmSync(file);
    const line = firstLine(file);
    const { lastModified, ...header } = JSON.parse(line.toString('utf8'));
    this.#put(bucket, { ...header, lastModified: new Date(lastModified) }, { file, offset: line.length });
  }

  #put(bucket, header, { file, offset }) {
    const object = {
      ...header,
      get body() {
        return readFileSync(file).subarray(offset);
      },
    };
    this.buckets.get(bucket).set(header.key, object);
    return object;
  }
}

function writeAll(file, bytes) {
  for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at);
}

function firstLine(path) {
  const file = openSync(path, 'r');
  try {
    const bytes = Buffer.alloc(MAX_HEADER_BYTES);
    const read = readSync(file, bytes, 0, bytes.length, 0);
    return bytes.subarray(0, bytes.subarray(0, read).indexOf('\n') + 1);
  } finally {
    closeSync(file);
  }
}
