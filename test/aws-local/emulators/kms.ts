import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import type { DecryptRequest, EncryptRequest } from '@aws-sdk/client-kms';
import { nameOf } from '../arn.ts';
import { ACCOUNT, REGION } from '../clients.ts';
import { operation, type Service, ServiceError } from '../wire/service.ts';

/** The keys by id. */
type Keys = Map<string, Buffer>;

const LENGTH_BYTES = 2;
const IV_BYTES = 12;
const TAG_BYTES = 16;
const KEY_BYTES = 32;

/**
 * KMS Encrypt and Decrypt (AES-256-GCM, bound to the encryption context). A key id gets its key when it is first used.
 * A ciphertext holds: the length of the key id, the key id, the IV, the tag, the encrypted bytes.
 *
 * @see https://docs.aws.amazon.com/kms/latest/APIReference/API_Encrypt.html
 */
export function kmsService(): Service {
  const keys: Keys = new Map();
  return {
    name: 'KMS',
    target: 'TrentService',
    load: () => import('@aws-sdk/client-kms'),
    operations: {
      Encrypt: operation<EncryptRequest>(['KeyId', 'Plaintext', 'EncryptionContext'], (input) => encrypt(input, keys)),
      Decrypt: operation<DecryptRequest>(['KeyId', 'CiphertextBlob', 'EncryptionContext'], (input) =>
        decrypt(input, keys),
      ),
    },
  };
}

/** Returns the key that a ciphertext was made with; undefined for what is none. */
export function keyIdOf(blob: unknown): string | undefined {
  try {
    return blob instanceof Uint8Array ? open(blob).id : undefined;
  } catch {
    return undefined;
  }
}

function encrypt({ KeyId = '', Plaintext = new Uint8Array(), EncryptionContext }: EncryptRequest, keys: Keys): object {
  const id = nameOf(KeyId);
  const key = keys.get(id) ?? randomBytes(KEY_BYTES);
  keys.set(id, key);
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv('aes-256-gcm', key, iv);
  const header = Buffer.from(id);
  cipher.setAAD(Buffer.concat([header, bytesOf(EncryptionContext)]));
  const bytes = Buffer.concat([cipher.update(Plaintext), cipher.final()]);
  const length = Buffer.alloc(LENGTH_BYTES);
  length.writeUInt16BE(header.length);
  const CiphertextBlob = Buffer.concat([length, header, iv, cipher.getAuthTag(), bytes]);
  return { CiphertextBlob, KeyId: arnOf(id), EncryptionAlgorithm: 'SYMMETRIC_DEFAULT' };
}

function decrypt({ CiphertextBlob = new Uint8Array(), KeyId, EncryptionContext }: DecryptRequest, keys: Keys): object {
  const { header, id, rest } = open(CiphertextBlob);
  if (KeyId !== undefined && nameOf(KeyId) !== id) {
    throw new ServiceError('IncorrectKeyException', 'The ciphertext was made with another key.');
  }
  try {
    const key = keys.get(id) ?? Buffer.alloc(0);
    const decipher = createDecipheriv('aes-256-gcm', key, rest.subarray(0, IV_BYTES), { authTagLength: TAG_BYTES });
    decipher.setAAD(Buffer.concat([header, bytesOf(EncryptionContext)]));
    decipher.setAuthTag(rest.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
    const Plaintext = Buffer.concat([decipher.update(rest.subarray(IV_BYTES + TAG_BYTES)), decipher.final()]);
    return { Plaintext, KeyId: arnOf(id), EncryptionAlgorithm: 'SYMMETRIC_DEFAULT' };
  } catch {
    throw unreadable();
  }
}

function open(blob: Uint8Array): { header: Buffer; id: string; rest: Buffer } {
  const sealed = Buffer.from(blob);
  if (sealed.length < LENGTH_BYTES) throw unreadable();
  const end = LENGTH_BYTES + sealed.readUInt16BE(0);
  const header = sealed.subarray(LENGTH_BYTES, end);
  return { header, id: header.toString('utf8'), rest: sealed.subarray(end) };
}

function unreadable(): ServiceError {
  return new ServiceError('InvalidCiphertextException', 'The ciphertext, its key or its encryption context is wrong.');
}

/** Returns the encryption context with its keys sorted: their order in the request does not matter. */
function bytesOf(context: EncryptRequest['EncryptionContext'] = {}): Buffer {
  return Buffer.from(JSON.stringify(Object.entries(context).sort(([a], [b]) => (a < b ? -1 : 1))));
}

function arnOf(id: string): string {
  return `arn:aws:kms:${REGION}:${ACCOUNT}:key/${id}`;
}
