import { DecryptCommand, EncryptCommand, type KMSClient } from '@aws-sdk/client-kms';
import type { AppRef } from '../../../../core/ports/platform.ts';
import type { Variables } from './environment.ts';

const PREFIX = 'v1.kms.';

/** Seals the variables of applications: all of one application fit into what KMS encrypts at once, 4 KB. */
interface VariableSeal {
  seal(app: AppRef, variables: Variables): Promise<string>;
  /** Returns the variables in a sealed string; none for undefined. */
  open(app: AppRef, sealed: string | undefined): Promise<Variables>;
}

/**
 * Returns the seal that encrypts with a KMS key. The application is bound to the ciphertext as the encryption context.
 */
export function variableSeal({
  kms,
  sealingKey: KeyId,
}: {
  readonly kms: KMSClient;
  readonly sealingKey: string;
}): VariableSeal {
  const contextOf = ({ user, app }: AppRef) => ({ purpose: 'app-variables', user, app });
  return {
    seal: async (app, variables) => {
      const Plaintext = Buffer.from(JSON.stringify(variables));
      const EncryptionContext = contextOf(app);
      const { CiphertextBlob = [] } = await kms.send(new EncryptCommand({ KeyId, Plaintext, EncryptionContext }));
      return PREFIX + Buffer.from(CiphertextBlob).toString('base64');
    },
    open: async (app, sealed) => {
      if (sealed === undefined) return {};
      const CiphertextBlob = Buffer.from(sealed.slice(PREFIX.length), 'base64');
      const EncryptionContext = contextOf(app);
      const { Plaintext = [] } = await kms.send(new DecryptCommand({ KeyId, CiphertextBlob, EncryptionContext }));
      return JSON.parse(Buffer.from(Plaintext).toString('utf8'));
    },
  };
}
