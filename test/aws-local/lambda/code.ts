import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream, existsSync } from 'node:fs';
import { chmod, mkdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { GetObjectCommand, NoSuchKey, type S3Client } from '@aws-sdk/client-s3';
import { type Entry, openPromise } from 'yauzl';
import { replaceFile } from '../../../lib/files/atomic-file.ts';
import { ServiceError } from '../wire/service.ts';

/** The source of an artifact. */
interface CodeSource {
  readonly ZipFile?: Uint8Array | undefined;
  readonly S3Bucket?: string | undefined;
  readonly S3Key?: string | undefined;
}

/** The unzipped artifacts, one folder for each content. */
export interface CodeStore {
  /**
   * Fetches and unzips an artifact, and returns its hash.
   *
   * @throws ServiceError InvalidParameterValueException
   */
  add(source: CodeSource): Promise<string>;
  /** Returns the folder of an artifact that was added. */
  folderOf(hash: string): string;
}

/** As on AWS, no package.json above an artifact says how Node reads its files. */
const BARRIER = 'package.json';

/** Unzips artifacts into a folder. */
export function openCodeStore(folder: string, s3: S3Client): CodeStore {
  const folderOf = (hash: string) => join(folder, hash);
  let counter = 0;
  return {
    folderOf,
    add: async (source) => {
      const temporary = join(folder, `incoming-${process.pid}-${counter++}`);
      await mkdir(temporary, { recursive: true, mode: 0o700 });
      if (!existsSync(join(folder, BARRIER))) await replaceFile(join(folder, BARRIER), '{}');
      try {
        const zip = join(temporary, 'code.zip');
        await fetchTo(zip, source, s3);
        const hash = await hashOf(zip);
        if (!existsSync(folderOf(hash))) {
          const unzipped = join(temporary, 'code');
          await unzip(zip, unzipped).catch(refused);
          await rename(unzipped, folderOf(hash));
        }
        return hash;
      } finally {
        await rm(temporary, { recursive: true, force: true });
      }
    },
  };
}

async function fetchTo(file: string, { ZipFile, S3Bucket, S3Key }: CodeSource, s3: S3Client): Promise<void> {
  if (ZipFile) return writeFile(file, ZipFile);
  if (S3Bucket === undefined || S3Key === undefined) throw invalid('Please provide a source for function code.');
  try {
    const { Body } = await s3.send(new GetObjectCommand({ Bucket: S3Bucket, Key: S3Key }));
    // In Node, the body of an object is a Readable.
    await pipeline(Body as Readable, createWriteStream(file));
  } catch (error) {
    if (!(error instanceof NoSuchKey)) throw error;
    throw invalid(
      'Error occurred while GetObject. S3 Error Code: NoSuchKey. S3 Error Message: The specified key does not exist.',
    );
  }
}

async function hashOf(file: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash);
  return hash.digest('hex');
}

function refused(error: unknown): never {
  if (error instanceof ArchiveError) throw invalid(error.message);
  throw error;
}

function invalid(message: string): ServiceError {
  return new ServiceError('InvalidParameterValueException', message);
}

/** https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html */
const MAX_UNZIPPED_BYTES = 262_144_000;

const FILE_TYPE = 0o170000;
const LINK = 0o120000;
const PERMISSIONS = 0o777;
/** Of a file; Lambda needs that of a folder for all, too. */
const READ_BY_ALL = 0o444;

/** An archive that Lambda refuses; the message is Lambda's. */
class ArchiveError extends Error {
  override readonly name = 'ArchiveError';
}

/**
 * Unpacks a zip file into a folder that does not exist, with modes and links.
 *
 * @throws ArchiveError for what is not a zip file, and for more than 250 MB
 */
export async function unzip(file: string, folder: string): Promise<void> {
  const archive = await openPromise(file).catch(() => {
    throw new ArchiveError('Could not unzip uploaded file. Please check your file, then try to upload again.');
  });
  // Made last: a link must not lead a later entry out of the folder.
  const links: { readonly path: string; readonly target: string }[] = [];
  try {
    await mkdir(folder, { recursive: true, mode: 0o755 });
    let total = 0;
    for await (const entry of archive.eachEntry()) {
      total += entry.uncompressedSize;
      if (total > MAX_UNZIPPED_BYTES) {
        throw new ArchiveError(`Unzipped size must be smaller than ${MAX_UNZIPPED_BYTES} bytes`);
      }
      // The name was checked by the reader: relative, and without `..`.
      const path = join(folder, entry.fileName);
      const open = () => archive.openReadStreamPromise(entry);
      if (isLink(entry)) links.push({ path, target: await text(await open()) });
      else await unpack(entry, path, open);
    }
    for (const { path, target } of links) {
      await mkdir(dirname(path), { recursive: true });
      await symlink(target, path);
    }
  } finally {
    archive.close();
  }
}

function isLink({ externalFileAttributes }: Entry): boolean {
  return ((externalFileAttributes >>> 16) & FILE_TYPE) === LINK;
}

async function unpack(entry: Entry, path: string, open: () => Promise<Readable>): Promise<void> {
  const mode = (entry.externalFileAttributes >>> 16) & PERMISSIONS;
  if (mode !== 0 && (mode & READ_BY_ALL) !== READ_BY_ALL) {
    throw new ArchiveError(`EACCES: permission denied, open '/var/task/${entry.fileName}'`);
  }
  if (entry.fileName.endsWith('/')) return void (await mkdir(path, { recursive: true }));
  await mkdir(dirname(path), { recursive: true });
  await pipeline(await open(), createWriteStream(path, mode === 0 ? {} : { mode }));
  if (mode !== 0) await chmod(path, mode);
}
