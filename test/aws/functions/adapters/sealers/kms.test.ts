import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { KMSClient } from '@aws-sdk/client-kms';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { kmsSealer } from '../../../../../functions/adapters/sealers/kms.ts';
import type { Sealer } from '../../../../../functions/core/ports/repository-host.ts';
import { clientFor } from '../../../../aws-local/clients.ts';
import { type JsonEndpoint, startJsonEndpoint } from '../../../../aws-local/emulators/json-endpoint.ts';
import { kmsOperations } from '../../../../aws-local/emulators/kms.ts';
import { sealerContract } from '../../../../contracts/sealer.ts';

const context = { purpose: 'repo-token', user: 'kiwi', host: 'github' } as const;

describe('the KMS sealer, on the local KMS', () => {
  let folder: string;
  let file: string;
  let endpoint: JsonEndpoint;
  let sealer: Sealer;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'sealer-'));
    file = join(folder, 'keys.json');
    endpoint = await startJsonEndpoint(kmsOperations(file));
    sealer = kmsSealer(new KMSClient(clientFor(endpoint.endpoint)), 'TokenKey');
  });
  afterAll(async () => {
    await endpoint.close();
    await rm(folder, { recursive: true, force: true });
  });

  sealerContract('It', async () => sealer);

  it('seals the same secret differently each time, and names the key service', async () => {
    const [one, two] = [await sealer.seal('secret', context), await sealer.seal('secret', context)];
    expect(one).toMatch(/^v1\.kms\./);
    expect(two).not.toBe(one);
    await expect(sealer.open('secret', context)).rejects.toThrow('unknown form');
  });

  it('opens values of an older key after a rotation, as long as that key exists', async () => {
    const old = await sealer.seal('old', context);
    const keys: Record<string, string[]> = JSON.parse(readFileSync(file, 'utf8'));
    const newer = Buffer.alloc(32, 7).toString('base64');
    writeFileSync(file, JSON.stringify({ TokenKey: [...(keys.TokenKey ?? []), newer] }));
    const fresh = await sealer.seal('new', context);
    expect(await sealer.open(old, context)).toBe('old');
    expect(await sealer.open(fresh, context)).toBe('new');
    writeFileSync(file, JSON.stringify({ TokenKey: ['', newer] }));
    expect(await sealer.open(fresh, context)).toBe('new');
    await expect(sealer.open(old, context)).rejects.toThrow();
  });

  it('keeps the local keys in a file that only its owner can read', () => {
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });
});
