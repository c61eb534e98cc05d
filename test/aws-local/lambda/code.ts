import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream, existsSync } from 'node:fs';
import { mkdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { GetObjectCommand, NoSuchKey, type S3Client } from '@aws-sdk/client-s3';
import { replaceFile } from '../../../lib/files/atomic-file.ts';
import { ServiceError } from '../wire/service.ts';
import { ArchiveError, unzip } from './unzip.ts';

/** The artifact of a function, as Lambda describes it. */
export interface CodeDescription {
  /** In base64. */
  readonly sha256: string;
  /** Of the zip file. */
  readonly bytes: number;
}

/** The source of an artifact. */
export interface CodeSource {
  readonly ZipFile?: Uint8Array | undefined;
  readonly S3Bucket?: string | undefined;
  readonly S3Key?: string | undefined;
}

/** The unzipped artifacts, one folder for each content. */
export interface CodeStore {
  /**
   * Fetches and unzips an artifact.
   *
   * @throws ServiceError InvalidParameterValueException
   */
  add(source: CodeSource): Promise<CodeDescription>;
  /** Returns the folder of an artifact that was added. */
  folderOf(sha256: string): string;
}

/** As on AWS, no package.json above an artifact says how Node reads its files. */
const BARRIER = 'package.json';

/** Unzips artifacts into a folder. */
export function openCodeStore(folder: string, s3: S3Client): CodeStore {
  const folderOf = (sha256: string) => join(folder, Buffer.from(sha256, 'base64').toString('hex'));
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
        const { size } = await stat(zip);
        const sha256 = await hashOf(zip);
        if (!existsSync(folderOf(sha256))) {
          const unzipped = join(temporary, 'code');
          await unzip(zip, unzipped).catch(refused);
          await rename(unzipped, folderOf(sha256));
        }
        return { sha256, bytes: size };
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
  return hash.digest('base64');
}

function refused(error: unknown): never {
  if (error instanceof ArchiveError) throw invalid(error.message);
  throw error;
}

function invalid(message: string): ServiceError {
  return new ServiceError('InvalidParameterValueException', message);
}
