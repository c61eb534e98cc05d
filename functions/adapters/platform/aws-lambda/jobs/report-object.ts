import { GetObjectCommand, HeadObjectCommand } from '@aws-sdk/client-s3';
import type { AppRef } from '../../../../core/ports/platform.ts';
import { runKeys } from '../names.ts';
import type { LambdaPlatformParts } from '../parts.ts';

type ReportParts = Pick<LambdaPlatformParts, 's3' | 'bucket'>;

/** Without the right to list a bucket, S3 answers 403 for an object that is not there. */
const MISSING: readonly unknown[] = [403, 404];

/** What a command has said: an object that grows, which the application itself can write. */
interface Report {
  readonly bytes: number;
  /** When it was written last, in milliseconds since 1970. */
  readonly at: number;
}

export async function findReport(app: AppRef, run: string, { s3, bucket }: ReportParts): Promise<Report | null> {
  const head = new HeadObjectCommand({ Bucket: bucket, Key: runKeys(app, run).output });
  try {
    const { ContentLength = 0, LastModified } = await s3.send(head);
    return { bytes: ContentLength, at: LastModified?.getTime() ?? 0 };
  } catch (error) {
    if (error instanceof Error && MISSING.includes(statusOf(error))) return null;
    throw error;
  }
}

function statusOf({ $metadata }: Error & { readonly $metadata?: { readonly httpStatusCode?: number } }) {
  return $metadata?.httpStatusCode;
}

interface Span {
  readonly app: AppRef;
  readonly run: string;
  readonly from: number;
  /** Behind its last byte. */
  readonly to: number;
}

/** Returns the bytes of a span, which must not be empty. */
export async function reportBytes({ app, run, from, to }: Span, { s3, bucket }: ReportParts): Promise<Buffer> {
  const object = { Bucket: bucket, Key: runKeys(app, run).output, Range: `bytes=${from}-${to - 1}` };
  const { Body } = await s3.send(new GetObjectCommand(object));
  return Buffer.from((await Body?.transformToByteArray()) ?? []);
}
