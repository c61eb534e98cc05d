import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateBucketCommand,
  CreateMultipartUploadCommand,
  DeleteBucketCommand,
  S3Client,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { mockClient } from 'aws-sdk-client-mock';
import { describe, expect, it, onTestFinished } from 'vitest';
import { s3Tarballs } from '../../../../../functions/adapters/stores/s3-tarballs.ts';
import { clientFor } from '../../../../aws-local/clients.ts';
import { startSqsS3 } from '../../../../aws-local/emulators/sqs-s3.ts';
import { tarballStoreContract } from '../../../../contracts/tarball-store.ts';

const bucket = 'tarballs';

tarballStoreContract('S3', async () => {
  const emulator = await startSqsS3();
  const client = new S3Client({
    ...clientFor(emulator.endpoint),
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
  });
  await client.send(new CreateBucketCommand({ Bucket: bucket }));
  return {
    store: s3Tarballs({ client, bucket }),
    // A bucket with an object, or with an upload that was neither completed nor aborted, cannot be deleted.
    async expectEmpty() {
      await client.send(new DeleteBucketCommand({ Bucket: bucket }));
      await client.send(new CreateBucketCommand({ Bucket: bucket }));
    },
    async close() {
      client.destroy();
      await emulator.close();
    },
  };
});

/** Answers for all clients of S3, until the test has ended. */
function mocked() {
  const s3 = mockClient(S3Client);
  onTestFinished(() => s3.restore());
  return s3;
}

describe('the tarball store in S3', () => {
  const chunk = Buffer.alloc(1024 * 1024);

  it('throws the error of the stream even if aborting the upload fails', async () => {
    const s3 = mocked();
    s3.on(CreateMultipartUploadCommand).resolves({ UploadId: 'u' });
    s3.on(UploadPartCommand).resolves({ ETag: 'e' });
    s3.on(AbortMultipartUploadCommand).rejects(new Error('unreachable'));
    const refused = new Error('refused');
    await expect(tarballs().put('k', failing(20, refused))).rejects.toBe(refused);
    expect(s3.commandCalls(AbortMultipartUploadCommand)).toHaveLength(1);
  });

  it('throws errors of S3 unchanged, aborts the upload and stops reading', async () => {
    const s3 = mocked();
    const down = Object.assign(new Error('Please reduce your request rate.'), { name: 'SlowDown' });
    s3.on(CreateMultipartUploadCommand).resolves({ UploadId: 'u' });
    s3.on(UploadPartCommand).rejects(down);
    s3.on(AbortMultipartUploadCommand).resolves({});
    let read = 0;
    let stopped = false;
    async function* endless() {
      try {
        for (;;) {
          read += 1;
          yield chunk;
        }
      } finally {
        stopped = true;
      }
    }
    await expect(tarballs().put('k', endless())).rejects.toBe(down);
    expect(s3.commandCalls(AbortMultipartUploadCommand)).toHaveLength(1);
    expect(s3.commandCalls(CompleteMultipartUploadCommand)).toHaveLength(0);
    expect(stopped).toBe(true);
    expect(read).toBeLessThanOrEqual(12);
  });

  it('reads at most one part ahead while S3 does not answer', async () => {
    const s3 = mocked();
    const answers: (() => void)[] = [];
    s3.on(CreateMultipartUploadCommand).resolves({ UploadId: 'u' });
    s3.on(CompleteMultipartUploadCommand).resolves({});
    s3.on(UploadPartCommand).callsFake(() => new Promise((resolve) => answers.push(() => resolve({ ETag: 'e' }))));
    let read = 0;
    async function* slowlyTaken() {
      for (; read < 64; read++) yield chunk;
    }
    const stored = tarballs().put('k', slowlyTaken());
    await expect.poll(() => answers.length).toBe(1);
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(read).toBeLessThanOrEqual(12);
    const answering = setInterval(() => {
      for (const answer of answers.splice(0)) answer();
    }, 1);
    await stored;
    clearInterval(answering);
    expect(read).toBe(64);
  });

  function tarballs() {
    return s3Tarballs({ client: new S3Client({ region: 'us-east-1' }), bucket });
  }

  async function* failing(chunks: number, error: Error) {
    for (let index = 0; index < chunks; index++) yield chunk;
    throw error;
  }
});
