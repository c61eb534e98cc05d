import { DecryptCommand, EncryptCommand, type KMSClient } from '@aws-sdk/client-kms';

const PREFIX = 'v1.kms.';

/**
 * Returns a sealer that encrypts with a KMS key directly: a token, or the variables of an application, are within its
 * limit of 4 kB. The context is bound to the ciphertext as KMS's encryption context
 * (https://docs.aws.amazon.com/kms/latest/developerguide/encrypt_context.html).
 */
export function kmsSealer<Context extends Readonly<Record<keyof Context, string>>>(client: KMSClient, KeyId: string) {
  return {
    seal: async (secret: string, context: Context): Promise<string> => {
      const encrypt = { KeyId, Plaintext: Buffer.from(secret), EncryptionContext: { ...context } };
      const { CiphertextBlob = [] } = await client.send(new EncryptCommand(encrypt));
      return PREFIX + Buffer.from(CiphertextBlob).toString('base64');
    },
    open: async (sealed: string, context: Context): Promise<string> => {
      if (!sealed.startsWith(PREFIX)) throw new Error('The sealed value has an unknown format.');
      const CiphertextBlob = Buffer.from(sealed.slice(PREFIX.length), 'base64');
      const decrypt = { KeyId, CiphertextBlob, EncryptionContext: { ...context } };
      const { Plaintext = [] } = await client.send(new DecryptCommand(decrypt));
      return Buffer.from(Plaintext).toString('utf8');
    },
  };
}
