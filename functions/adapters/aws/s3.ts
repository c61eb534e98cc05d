import { S3Client } from '@aws-sdk/client-s3';
import { once } from '../../core/concurrency.ts';
import { requestLimits } from './client-settings.ts';

/**
 * Returns the function's S3 client. Without checksums, because the pipeline has a SHA-256 of every tarball. A request
 * sends 5 MiB at most.
 */
export const s3 = once(
  () =>
    new S3Client({
      ...requestLimits(30_000),
      requestChecksumCalculation: 'WHEN_REQUIRED',
      responseChecksumValidation: 'WHEN_REQUIRED',
    }),
);
