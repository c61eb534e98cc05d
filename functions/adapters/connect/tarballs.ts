import { S3Client } from '@aws-sdk/client-s3';
import type { TarballStore } from '../../core/ports/tarball-store.ts';
import { s3Tarballs } from '../stores/s3-tarballs.ts';
import { variable } from './environment.ts';

/** The staged tarballs, in `TARBALL_BUCKET`. */
export function connectTarballs(): TarballStore {
  return s3Tarballs({ client: s3(), bucket: variable('TARBALL_BUCKET') });
}

/** The pipeline has its own SHA-256 of every tarball; a second checksum would only cost time. */
function s3(): S3Client {
  return new S3Client({ requestChecksumCalculation: 'WHEN_REQUIRED', responseChecksumValidation: 'WHEN_REQUIRED' });
}
