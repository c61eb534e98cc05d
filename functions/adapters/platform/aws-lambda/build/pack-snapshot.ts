import { createReadStream, createWriteStream } from 'node:fs';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { GetObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import { PACKED_LIMITS, packRelease } from '../../../../../lib/builder/lambda/pack-release.ts';
import type { ActivateOptions, SnapshotRef } from '../../../../core/ports/platform.ts';
import { uploadStream } from '../../../aws/s3-upload.ts';
import { objectKeys } from '../names.ts';
import type { LambdaPlatformParts } from '../parts.ts';
import { keys, type SnapshotItem } from '../table/items.ts';
import { keptOf } from '../table/snapshots.ts';
import type { Changes } from '../table/table.ts';
import { removeInputs } from './poll-build.ts';

/** Of a folder, before the time at which it was made. */
const PREFIX = 'pack-';
/** Longer than a function of the stage runs. */
const LEFT_MS = 60_000;

/**
 * Makes the release of a snapshot here if its build would run no command, which takes no CodeBuild. Returns whether the
 * snapshot has ended so. It is tried once: what a function has no room or time for, CodeBuild builds.
 */
export async function packSnapshot(
  snapshot: SnapshotRef,
  options: ActivateOptions,
  parts: LambdaPlatformParts,
): Promise<boolean> {
  const { table, clock } = parts;
  const key = keys.snapshot(snapshot);
  const stored = await table.read(key);
  if (!stored || stored.bytes > PACKED_LIMITS.bytes || stored.packing !== undefined) return false;
  const begun = { packing: 'begun', ...keptOf(options) };
  if (!(await table.write(key, begun, { attribute: 'state', is: 'pending' }))) return false;
  await removeLeft(clock.now());
  const work = await mkdtemp(join(tmpdir(), `${PREFIX}${clock.now()}-`));
  try {
    const ended = await resultOf(snapshot, { options, work, parts });
    // A deploy that was cancelled meanwhile stays so.
    if (!ended || !(await table.write(key, ended, { attribute: 'state', is: 'pending' }))) return false;
    await removeInputs(snapshot, parts);
    return true;
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

/** Removes what a function has left that Lambda has ended: its disk stays. */
async function removeLeft(now: number): Promise<void> {
  for (const name of await readdir(tmpdir())) {
    const begun = name.startsWith(PREFIX) ? Number.parseInt(name.slice(PREFIX.length), 10) : now;
    if (begun < now - LEFT_MS) await rm(join(tmpdir(), name), { recursive: true, force: true });
  }
}

interface Packing {
  readonly options: ActivateOptions;
  readonly work: string;
  readonly parts: LambdaPlatformParts;
}

/** Stores the release. Returns how the snapshot has ended; undefined for one that CodeBuild builds. */
async function resultOf(
  snapshot: SnapshotRef,
  { options: { path = '', settings = {} }, work, parts }: Packing,
): Promise<Changes<SnapshotItem> | undefined> {
  const { table, s3, bucket: Bucket } = parts;
  const { source, release, cron } = objectKeys(snapshot);
  const tarball = join(work, 'source.tgz');
  const { Body } = await s3.send(new GetObjectCommand({ Bucket, Key: source }));
  if (!(Body instanceof Readable)) throw new Error('S3 returned no body.');
  await pipeline(Body, createWriteStream(tarball));
  const hasVariables = (await table.read(keys.app(snapshot)))?.variables !== undefined;
  try {
    const packed = await packRelease({ tarball, work, path, settings, hasVariables });
    if (!packed) return undefined;
    const { notes, found } = packed;
    await uploadStream({ client: s3, object: { Bucket, Key: release } }, createReadStream(packed.archive));
    await s3.send(new PutObjectCommand({ Bucket, Key: cron, Body: JSON.stringify(packed.cron) }));
    const note = notes.length > 0 ? { note: notes.join(' ') } : {};
    return { state: 'ready', found: JSON.stringify(found), log: notes, ...note };
  } catch (error) {
    // Not an error of the system or of S3: the sentence of an application that cannot be started.
    if (!(error instanceof Error) || error.constructor !== Error || 'code' in error) throw error;
    return { state: 'failed', reason: error.message, log: [error.message] };
  }
}
