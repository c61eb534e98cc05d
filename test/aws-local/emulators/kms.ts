import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { parse, record, string } from 'valibot';
import { nameOf } from '../arn.ts';
import { ACCOUNT, REGION } from '../clients.ts';
import { type Input, type Operations, ServiceError, text } from './json-endpoint.ts';

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
export function kmsOperations(): Operations {
  const keys: Keys = new Map();
  return new Map([
    ['TrentService.Encrypt', (input) => encrypt(input, keys)],
    ['TrentService.Decrypt', (input) => decrypt(input, keys)],
  ]);
}

/** Returns the key that a ciphertext was made with; undefined for what is none. */
export function keyIdOf({ CiphertextBlob: blob }: Input): string | undefined {
  if (typeof blob !== 'string') return undefined;
  try {
    return open(Buffer.from(blob, 'base64')).id;
  } catch {
    return undefined;
  }
}

function encrypt(input: Input, keys: Keys): object {
  const id = nameOf(text(input, 'KeyId'));
  const key = keys.get(id) ?? randomBytes(KEY_BYTES);
  keys.set(id, key);
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv('aes-256-gcm', key, iv);
  const header = Buffer.from(id);
  cipher.setAAD(Buffer.concat([header, context(input)]));
  const bytes = Buffer.concat([cipher.update(text(input, 'Plaintext'), 'base64'), cipher.final()]);
  const length = Buffer.alloc(LENGTH_BYTES);
  length.writeUInt16BE(header.length);
  const sealed = Buffer.concat([length, header, iv, cipher.getAuthTag(), bytes]);
  return { CiphertextBlob: sealed.toString('base64'), KeyId: arnOf(id), EncryptionAlgorithm: 'SYMMETRIC_DEFAULT' };
}

function decrypt(input: Input, keys: Keys): object {
  const { header, id, rest } = open(Buffer.from(text(input, 'CiphertextBlob'), 'base64'));
  if (input.KeyId && nameOf(text(input, 'KeyId')) !== id) {
    throw new ServiceError('IncorrectKeyException', 'The ciphertext was made with another key.');
  }
  try {
    const key = keys.get(id) ?? Buffer.alloc(0);
    const decipher = createDecipheriv('aes-256-gcm', key, rest.subarray(0, IV_BYTES), { authTagLength: TAG_BYTES });
    decipher.setAAD(Buffer.concat([header, context(input)]));
    decipher.setAuthTag(rest.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
    const plain = Buffer.concat([decipher.update(rest.subarray(IV_BYTES + TAG_BYTES)), decipher.final()]);
    return { Plaintext: plain.toString('base64'), KeyId: arnOf(id), EncryptionAlgorithm: 'SYMMETRIC_DEFAULT' };
  } catch {
    throw unreadable();
  }
}

function open(sealed: Buffer): { header: Buffer; id: string; rest: Buffer } {
  if (sealed.length < LENGTH_BYTES) throw unreadable();
  const end = LENGTH_BYTES + sealed.readUInt16BE(0);
  const header = sealed.subarray(LENGTH_BYTES, end);
  return { header, id: header.toString('utf8'), rest: sealed.subarray(end) };
}

function unreadable(): ServiceError {
  return new ServiceError('InvalidCiphertextException', 'The ciphertext, its key or its encryption context is wrong.');
}

/** Returns the encryption context with its keys sorted: their order in the request does not matter. */
function context(input: Input): Buffer {
  const pairs = Object.entries(parse(record(string(), string()), input.EncryptionContext ?? {}));
  return Buffer.from(JSON.stringify(pairs.sort(([a], [b]) => (a < b ? -1 : 1))));
}

function arnOf(id: string): string {
  return `arn:aws:kms:${REGION}:${ACCOUNT}:key/${id}`;
}
