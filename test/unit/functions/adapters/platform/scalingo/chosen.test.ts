import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';
import { clientFor } from '../../../../../../lib/aws-local/clients.ts';
import { startSqsS3 } from '../../../../../../lib/aws-local/emulators/sqs-s3.ts';
import { chosenPlatformContract } from '../../../../../contracts/chosen-platform.ts';
import { fakeScalingo } from '../../../../../fakes/scalingo/server.ts';

const BUCKET = 'stack-apps-bucket';

/** Scalingo reads the archive at the address that the function has signed. */
chosenPlatformContract('Scalingo', async () => {
  const storage = await startSqsS3();
  const client = new S3Client(clientFor(storage.endpoint));
  await client.send(new CreateBucketCommand({ Bucket: BUCKET }));
  const scalingo = await fakeScalingo(async (address) => {
    const response = await fetch(address);
    return response.ok ? Buffer.from(await response.arrayBuffer()) : undefined;
  });
  const { url, token } = scalingo;
  return {
    token,
    environment: {
      ...{ PLATFORM: 'scalingo', PLATFORM_URL: url },
      PLATFORM_PARTS: JSON.stringify({ bucket: BUCKET, region: 'osc-fr1' }),
      AWS_ENDPOINT_URL_S3: storage.endpoint,
    },
    close: async () => {
      client.destroy();
      await scalingo.close();
      await storage.close();
    },
  };
});
