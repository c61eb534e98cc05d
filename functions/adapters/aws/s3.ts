import { S3Client } from '@aws-sdk/client-s3';
import { once } from '../../core/once.ts';

/** Returns the function's S3 client. Without checksums, because the pipeline has a SHA-256 of every tarball. */
export const s3 = once(
  () => new S3Client({ requestChecksumCalculation: 'WHEN_REQUIRED', responseChecksumValidation: 'WHEN_REQUIRED' }),
);
