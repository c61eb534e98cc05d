import type { Bucket } from 'aws-cdk-lib/aws-s3';
import { type Access, all, allow } from './access.ts';

/** Writes tarballs, in parts; the upload of a refused one is aborted. */
export function writeTarballs(tarballs: Bucket): Access {
  return tarballAccess(tarballs, ['s3:PutObject', 's3:AbortMultipartUpload']);
}

/** Reads tarballs. ListBucket, because S3 answers 403 instead of 404 for an expired object without it. */
export function readTarballs(tarballs: Bucket): Access {
  return all(tarballAccess(tarballs, ['s3:GetObject']), { statements: [allow(['s3:ListBucket'], tarballs.bucketArn)] });
}

/** Deletes tarballs that are no longer needed. */
export function removeTarballs(tarballs: Bucket): Access {
  return tarballAccess(tarballs, ['s3:DeleteObject']);
}

function tarballAccess(tarballs: Bucket, actions: string[]): Access {
  return {
    environment: { TARBALL_BUCKET: tarballs.bucketName },
    statements: [allow(actions, tarballs.arnForObjects('*'))],
  };
}
