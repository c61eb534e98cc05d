import { KMSClient } from '@aws-sdk/client-kms';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { kmsSealer } from '../../../../../functions/adapters/aws/kms-sealer.ts';
import type { Sealer } from '../../../../../functions/core/ports/repository-host.ts';
import { clientFor } from '../../../../aws-local/clients.ts';
import { kmsService } from '../../../../aws-local/emulators/kms.ts';
import { startWireEndpoint, type WireEndpoint } from '../../../../aws-local/wire/endpoint.ts';
import { sealerContract } from '../../../../contracts/sealer.ts';

const context = { purpose: 'repo-token', user: 'kiwi', host: 'github' } as const;

describe('the KMS sealer, on the local KMS', () => {
  let endpoint: WireEndpoint;
  let sealer: Sealer;

  beforeAll(async () => {
    endpoint = await startWireEndpoint([kmsService()], () => {});
    sealer = kmsSealer(new KMSClient(clientFor(endpoint.endpoint)), 'TokenKey');
  });
  afterAll(async () => {
    await endpoint.close();
  });

  sealerContract('It', async () => sealer);

  it('seals the same secret differently each time, and names the key service', async () => {
    const [one, two] = [await sealer.seal('secret', context), await sealer.seal('secret', context)];
    expect(one).toMatch(/^v1\.kms\./);
    expect(two).not.toBe(one);
    await expect(sealer.open('secret', context)).rejects.toThrow('unknown form');
  });
});
