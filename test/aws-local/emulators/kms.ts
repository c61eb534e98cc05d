import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { array, type InferOutput, parse, record, string } from 'valibot';
import { readStateSync, writeStateSync } from '../../../lib/files/state-file.ts';
import { nameOf } from '../arn.ts';
import { ACCOUNT, REGION } from '../clients.ts';
import { type Input, type Operations, ServiceError, text } from './json-endpoint.ts';

/**
 * The key file: for each key id its 256-bit keys in base64, oldest first. The last one encrypts and all of them
 * decrypt, so a key is rotated by appending to its list.
 */
const KeyFile = record(string(), array(string()));
type Keys = InferOutput<typeof KeyFile>;

const LENGTH_BYTES = 2;
const IV_BYTES = 12;
const TAG_BYTES = 16;
const KEY_BYTES = 32;

/**
 * KMS Encrypt and Decrypt (AES-256-GCM, bound to the encryption context) with keys kept in `file`, mode 0600. A key id
 * gets its first key when it is first used. A ciphertext holds: the length of a header, the header (JSON: key id and
 * number of the key in its list), the IV, the tag, the encrypted bytes.
 *
 * @see https://docs.aws.amazon.com/kms/latest/APIReference/API_Encrypt.html
 */
export function kmsOperations(file: string): Operations {
  const read = () => readStateSync(file, KeyFile) ?? {};
  return new Map([
    ['TrentService.Encrypt', (input) => encrypt(input, keysOf(nameOf(text(input, 'KeyId')), read(), file))],
    ['TrentService.Decrypt', (input) => decrypt(input, read())],
  ]);
}

/** Returns the key that a ciphertext was made with; undefined for what is none. */
export function keyIdOf({ CiphertextBlob: blob }: Input): string | undefined {
  if (typeof blob !== 'string') return undefined;
  try {
    return open(Buffer.from(blob, 'base64'), {}).id;
  } catch {
    return undefined;
  }
}

interface KeyList {
  readonly id: string;
  readonly keys: readonly string[];
}

function keysOf(id: string, known: Keys, file: string): KeyList {
  const keys = known[id];
  if (keys?.length) return { id, keys };
  const first = [randomBytes(KEY_BYTES).toString('base64')];
  writeStateSync(file, { ...known, [id]: first }, { secret: true, durable: true });
  return { id, keys: first };
}

function encrypt(input: Input, { id, keys }: KeyList): object {
  const number = keys.length - 1;
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv('aes-256-gcm', Buffer.from(keys[number] ?? '', 'base64'), iv);
  const header = Buffer.from(JSON.stringify([id, number]));
  cipher.setAAD(Buffer.concat([header, context(input)]));
  const bytes = Buffer.concat([cipher.update(text(input, 'Plaintext'), 'base64'), cipher.final()]);
  const length = Buffer.alloc(LENGTH_BYTES);
  length.writeUInt16BE(header.length);
  const sealed = Buffer.concat([length, header, iv, cipher.getAuthTag(), bytes]);
  return { CiphertextBlob: sealed.toString('base64'), KeyId: arnOf(id), EncryptionAlgorithm: 'SYMMETRIC_DEFAULT' };
}

function decrypt(input: Input, known: Keys): object {
  const { header, id, key, rest } = open(Buffer.from(text(input, 'CiphertextBlob'), 'base64'), known);
  if (input.KeyId && nameOf(text(input, 'KeyId')) !== id) {
    throw new ServiceError('IncorrectKeyException', 'The ciphertext was made with another key.');
  }
  try {
    const decipher = createDecipheriv('aes-256-gcm', key, rest.subarray(0, IV_BYTES), { authTagLength: TAG_BYTES });
    decipher.setAAD(Buffer.concat([header, context(input)]));
    decipher.setAuthTag(rest.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
    const plain = Buffer.concat([decipher.update(rest.subarray(IV_BYTES + TAG_BYTES)), decipher.final()]);
    return { Plaintext: plain.toString('base64'), KeyId: arnOf(id), EncryptionAlgorithm: 'SYMMETRIC_DEFAULT' };
  } catch {
    throw unreadable();
  }
}

function open(sealed: Buffer, known: Keys): { header: Buffer; id: string; key: Buffer; rest: Buffer } {
  try {
    const end = LENGTH_BYTES + sealed.readUInt16BE(0);
    const header = sealed.subarray(LENGTH_BYTES, end);
    const [id, number]: [string, number] = JSON.parse(header.toString('utf8'));
    return { header, id, key: Buffer.from(known[id]?.[number] ?? '', 'base64'), rest: sealed.subarray(end) };
  } catch {
    throw unreadable();
  }
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
