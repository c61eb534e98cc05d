import { DecryptCommand, EncryptCommand, type KMSClient } from '@aws-sdk/client-kms';
import type { SealContext, Sealer } from '../../core/ports/repository-host.ts';

const PREFIX = 'v1.kms.';

/**
 * Returns a sealer that encrypts with a KMS key directly: a token is far below the limit of 4 kB. The context is bound
 * to the ciphertext as KMS's encryption context
 * (https://docs.aws.amazon.com/kms/latest/developerguide/encrypt_context.html).
 */
export function kmsSealer(client: KMSClient, keyId: string): Sealer {
  return {
    seal: async (secret, context) => {
      const Plaintext = Buffer.from(secret);
      const { CiphertextBlob } = await client.send(
        new EncryptCommand({ KeyId: keyId, Plaintext, EncryptionContext: contextOf(context) }),
      );
      return PREFIX + Buffer.from(CiphertextBlob ?? []).toString('base64');
    },
    open: async (sealed, context) => {
      if (!sealed.startsWith(PREFIX)) throw new Error('The sealed value has an unknown format.');
      const CiphertextBlob = Buffer.from(sealed.slice(PREFIX.length), 'base64');
      const { Plaintext } = await client.send(
        new DecryptCommand({ KeyId: keyId, CiphertextBlob, EncryptionContext: contextOf(context) }),
      );
      return Buffer.from(Plaintext ?? []).toString('utf8');
    },
  };
}

function contextOf({ purpose, user, host }: SealContext): Record<string, string> {
  return { purpose, user, host };
}
