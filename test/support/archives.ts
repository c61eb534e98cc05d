import { gzipSync } from 'node:zlib';
import { DeployError } from '../../functions/core/errors.ts';
import { Contents } from '../../functions/core/tarball/contents.ts';
import { Inflater } from '../../functions/core/tarball/inflate.ts';
import { inspected, type TarballReport } from '../../functions/core/tarball/inspect.ts';
import { TARBALL_LIMITS, type TarballLimits } from '../../functions/core/tarball/limits.ts';
import type { TarEntry } from '../../functions/core/tarball/walker.ts';

/** The fields of a header, so that a test can write invalid ones. */
export interface RawEntry {
  readonly name: string | Buffer;
  readonly type?: string;
  readonly body?: string | Buffer;
  readonly link?: string | Buffer;
  readonly prefix?: string;
  /** The size that the header declares, by default that of the body. A string is written to the field unchanged. */
  readonly size?: number | string | Buffer;
  readonly magic?: string;
}

/** Two blocks of zeros. */
export const endMark = Buffer.alloc(1024);

/** A header block with a right checksum, and the padded body. */
export function raw({ name, type = '0', body = '', link = '', prefix = '', size, magic }: RawEntry): Buffer {
  const bytes = Buffer.from(body);
  const header = Buffer.alloc(512);
  Buffer.from(name).copy(header, 0, 0, 100);
  header.write('0000644\0' + '0000000\0' + '0000000\0', 100);
  const declared = size ?? bytes.length;
  Buffer.from(typeof declared === 'number' ? octal(declared, 11) : declared).copy(header, 124, 0, 12);
  header.write('00000000000\0', 136);
  header.write(type, 156, 'latin1');
  Buffer.from(link).copy(header, 157, 0, 100);
  header.write(magic ?? 'ustar\x0000', 257, 'latin1');
  header.write(prefix, 345);
  return Buffer.concat([withChecksum(header), bytes, Buffer.alloc((512 - (bytes.length % 512)) % 512)]);
}

/** An extended header of pax: `x` for the next entry, `g` for all. */
export function pax(records: Readonly<Record<string, string | Buffer>>, type: 'x' | 'g' = 'x'): Buffer {
  return raw({ name: 'pax_header', type, body: Buffer.concat(Object.entries(records).map(paxRecord)) });
}

/** A long name of GNU tar: `L` for the path, `K` for the target of a link. */
export function gnuLong(text: string, type: 'L' | 'K' = 'L'): Buffer {
  return raw({ name: '././@LongLink', type, body: `${text}\0`, magic: 'ustar  \0' });
}

export const root: RawEntry = { name: 'app-1/', type: '5' };

/** A gzip tarball of a root folder and these entries, ended as it should be. */
export function tarball(...entries: readonly (RawEntry | Buffer)[]): Buffer {
  return gzipSync(tar(root, ...entries));
}

/** A tar archive of exactly these entries, ended as it should be. */
export function tar(...entries: readonly (RawEntry | Buffer)[]): Buffer {
  return Buffer.concat([...entries.map((entry) => (Buffer.isBuffer(entry) ? entry : raw(entry))), endMark]);
}

/** Reads a tarball through the inspection to its end. */
export async function inspect(
  bytes: Buffer | AsyncIterable<Uint8Array>,
  changed: Partial<TarballLimits> = {},
): Promise<TarballReport> {
  const source = Buffer.isBuffer(bytes) ? inChunks(bytes, 1000) : bytes;
  const { body, result } = inspected(source, { ...TARBALL_LIMITS, ...changed });
  for await (const _ of body);
  return result;
}

/** Returns the paths below the root folder that the inspection has seen, also those that others only name, in order. */
export async function listed(bytes: Buffer): Promise<readonly string[]> {
  const paths = new Set<string>();
  const entry = ({ path }: TarEntry) => {
    const names = path
      .split('/')
      .slice(1)
      .filter((name) => name !== '');
    for (const at of names.keys()) paths.add(names.slice(0, at + 1).join('/'));
  };
  const contents = new Contents(TARBALL_LIMITS, { entry });
  const inflater = new Inflater((part, used) => contents.push(part, used));
  await inflater.write(bytes);
  await inflater.end();
  contents.end();
  return [...paths].sort();
}

/** Returns the code with which a tarball is refused, or `passed`. Throws other errors. */
export async function verdict(bytes: Buffer | AsyncIterable<Uint8Array>, changed: Partial<TarballLimits> = {}) {
  try {
    await inspect(bytes, changed);
    return 'passed';
  } catch (error) {
    if (error instanceof DeployError) return error.code;
    throw error;
  }
}

/** The bytes in chunks of a size. */
export async function* inChunks(bytes: Buffer, size: number): AsyncGenerator<Uint8Array, void, undefined> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

/** A header with its checksum filled in. */
function withChecksum(header: Buffer): Buffer {
  header.fill(' ', 148, 156);
  const sum = header.subarray(0, 512).reduce((total, byte) => total + byte, 0);
  header.write(`${octal(sum, 6)}\0 `, 148);
  return header;
}

function octal(value: number, digits: number): string {
  return value.toString(8).padStart(digits, '0');
}

function paxRecord([key, value]: [string, string | Buffer]): Buffer {
  const content = Buffer.concat([Buffer.from(` ${key}=`), Buffer.from(value), Buffer.from('\n')]);
  let length = content.length + 1;
  while (length !== content.length + String(length).length) length = content.length + String(length).length;
  return Buffer.concat([Buffer.from(String(length)), content]);
}
