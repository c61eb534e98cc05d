import { BLOCK, type EntryKind, type ExtensionKind, type Header, isZero, readHeader } from './header.ts';
import { TARBALL_LIMITS, type TarballLimits } from './limits.ts';
import { checkGlobalPax, readPax } from './pax.ts';
import { quoted, refusal } from './refuse.ts';
import { decodeName } from './safe-path.ts';

/** One file, folder or link, its name and target as the archive's headers together say them. */
export interface TarEntry {
  readonly kind: EntryKind;
  readonly path: string;
  /** Where a link points; empty for what is none. */
  readonly target: string;
  /** Bytes of the body. */
  readonly size: number;
}

/** An extended header of which `bytes` have arrived. */
interface Collecting {
  readonly body: Buffer;
  readonly padding: number;
  bytes: number;
}

type Extensions = { [kind in ExtensionKind]?: Buffer };

/**
 * Walks the headers of a tar archive that arrives in pieces of any size, and skips the bodies: memory is one block and
 * one extended header. Calls `visit` for each entry, before its body has arrived.
 *
 * Written here because tar-stream's extract made the whole inspection miss its time (a stream for each entry: 1.45
 * times gunzip alone, this: 1.05) and keeps from its caller what an inspection must see: global pax headers, bytes
 * that are no UTF-8, and several long names for one entry.
 */
export class TarWalker {
  readonly #visit: (entry: TarEntry) => void;
  readonly #bounds: TarballLimits;
  readonly #block = Buffer.alloc(BLOCK);
  #blockBytes = 0;
  #offset = 0;
  #skip = 0;
  #zeroBlocks = 0;
  #extensions: Extensions = {};
  #collecting: Collecting | null = null;

  constructor(visit: (entry: TarEntry) => void, bounds: TarballLimits = TARBALL_LIMITS) {
    this.#visit = visit;
    this.#bounds = bounds;
  }

  /** Takes the next bytes. Throws a `deploy:tar:*` error on what cannot be read, and what `visit` throws. */
  push(bytes: Buffer): void {
    let at = 0;
    while (at < bytes.length) {
      const taken = this.#take(bytes, at);
      at += taken;
      this.#offset += taken;
    }
  }

  /** To be called after the last byte. Throws `deploy:tar:truncated` unless the archive's end mark has been read. */
  end(): void {
    if (this.#zeroBlocks < 2) throw refusal('deploy:tar:truncated', 'ends before the end mark of its archive');
  }

  /** Each step takes what it can from `at` on, and says how much that was. */
  #take(bytes: Buffer, at: number): number {
    if (this.#zeroBlocks >= 2) return takeEnd(bytes.subarray(at));
    if (this.#collecting !== null) return this.#takeExtension(bytes, at, this.#collecting);
    if (this.#skip > 0) return this.#takeBody(bytes.length - at);
    return this.#takeBlock(bytes, at);
  }

  #takeBody(available: number): number {
    const taken = Math.min(this.#skip, available);
    this.#skip -= taken;
    return taken;
  }

  #takeBlock(bytes: Buffer, at: number): number {
    const taken = bytes.copy(this.#block, this.#blockBytes, at, at + BLOCK - this.#blockBytes);
    this.#blockBytes += taken;
    if (this.#blockBytes === BLOCK) {
      this.#blockBytes = 0;
      this.#readBlock(this.#block);
    }
    return taken;
  }

  #readBlock(block: Buffer): void {
    if (block[0] === 0 && isZero(block)) {
      this.#zeroBlocks += 1;
      // A global header may stand alone: git archive of an empty tree.
      if (Object.keys(this.#extensions).some((kind) => kind !== 'global'))
        throw corrupt('ends after an extended header');
      return;
    }
    if (this.#zeroBlocks > 0) throw corrupt('goes on after its end mark');
    const header = readHeader(block);
    if (isExtension(header.kind)) this.#startExtension(header.kind, header.size);
    else this.#enter(header, header.kind);
  }

  #startExtension(kind: ExtensionKind, size: number): void {
    if (this.#extensions[kind] !== undefined) throw corrupt('has an extended header twice for one entry');
    if (size > this.#bounds.extensionBytes) throw refusal('deploy:tar:too_large', `has a header of ${size} bytes`);
    const body = Buffer.alloc(size);
    this.#extensions[kind] = body;
    if (size > 0) this.#collecting = { body, padding: padding(size), bytes: 0 };
  }

  #takeExtension(bytes: Buffer, at: number, into: Collecting): number {
    const taken = bytes.copy(into.body, into.bytes, at);
    into.bytes += taken;
    if (into.bytes === into.body.length) {
      this.#skip = into.padding;
      this.#collecting = null;
    }
    return taken;
  }

  #enter(header: Header, kind: EntryKind): void {
    const entry = extended(header, kind, this.#extensions);
    this.#extensions = {};
    if (kind !== 'file' && entry.size > 0) throw corrupt(`holds ${quoted(entry.path)}, a ${kind} with a body`);
    if (this.#offset + entry.size > this.#bounds.unpackedBytes) {
      throw refusal('deploy:tar:too_large', `holds ${quoted(entry.path)} of ${entry.size} bytes`);
    }
    this.#skip = entry.size + padding(entry.size);
    this.#visit(entry);
  }
}

/** The entry that a header and the extended headers before it describe together. */
function extended(header: Header, kind: EntryKind, extensions: Extensions): TarEntry {
  if (extensions.global !== undefined) checkGlobalPax(extensions.global);
  const pax = extensions.pax === undefined ? {} : readPax(extensions.pax);
  const longPath = longName(extensions['long-path']);
  const longTarget = longName(extensions['long-target']);
  if (pax.path !== undefined && longPath !== undefined) throw corrupt('names an entry twice');
  if (pax.target !== undefined && longTarget !== undefined) throw corrupt('names the target of a link twice');
  // A size that only some readers know lets the others take the body for headers.
  if (pax.size !== undefined && pax.size !== header.size) throw corrupt('gives an entry two sizes');
  return {
    kind,
    path: pax.path ?? longPath ?? header.path,
    target: pax.target ?? longTarget ?? header.target,
    size: header.size,
  };
}

/** GNU's long names end with one NUL. https://www.gnu.org/software/tar/manual/html_node/Standard.html */
function longName(body: Buffer | undefined): string | undefined {
  if (body === undefined) return undefined;
  return decodeName(body.at(-1) === 0 ? body.subarray(0, -1) : body);
}

function takeEnd(bytes: Buffer): number {
  if (!isZero(bytes)) throw corrupt('goes on after its end mark');
  return bytes.length;
}

function isExtension(kind: Header['kind']): kind is ExtensionKind {
  return kind === 'pax' || kind === 'global' || kind === 'long-path' || kind === 'long-target';
}

function padding(size: number): number {
  return (BLOCK - (size % BLOCK)) % BLOCK;
}

function corrupt(what: string) {
  return refusal('deploy:tar:corrupt', what);
}
