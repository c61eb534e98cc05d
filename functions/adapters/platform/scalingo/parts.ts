import type { S3Client } from '@aws-sdk/client-s3';
import type { ProviderParts } from '../provider/parts.ts';

/** Dependencies of the platform on Scalingo. */
export interface ScalingoParts extends ProviderParts {
  readonly s3: S3Client;
  /** The bucket with the tarballs of snapshots. */
  readonly bucket: string;
}
