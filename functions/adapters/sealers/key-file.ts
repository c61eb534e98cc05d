import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import type { SealContext, Sealer } from '../../core/ports/repository-host.ts';

const PREFIX = 'v1.file.';
const CIPHER = 'aes-256-gcm';
const KEY_BYTES = 32;
/** The lengths that https://nvlpubs.nist.gov/nistpubs/Legacy/SP/nistspecialpublication800-38d.pdf recommends. */
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/**
 * Returns a sealer that encrypts with the key in a file, which only its owner can read and which is made if there is
 * none. The context is the additional data of the cipher, so that a value opens only where it was sealed. Throws when
 * the file is not a key: what was sealed with another key can never be opened again.
 */
export function keyFileSealer(path: string): Sealer {
  const key = keyIn(path);
  return {
    seal: async (secret, context) => {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES }).setAAD(dataOf(context));
      const sealed = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()]);
      return PREFIX + Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString('base64');
    },
    open: async (sealed, context) => {
      if (!sealed.startsWith(PREFIX)) throw new Error('The sealed value has an unknown format.');
      const bytes = Buffer.from(sealed.slice(PREFIX.length), 'base64');
      const nonce = bytes.subarray(0, NONCE_BYTES);
      const tag = bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES);
      const cipher = createDecipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES }).setAAD(dataOf(context));
      cipher.setAuthTag(tag);
      const opened = [cipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES)), cipher.final()];
      return Buffer.concat(opened).toString('utf8');
    },
  };
}

function dataOf({ purpose, user, host }: SealContext): Buffer {
  return Buffer.from(JSON.stringify([purpose, user, host]));
}

function keyIn(path: string): Buffer {
  const key = Buffer.from(readFileSync(madeIfMissing(path), 'utf8').trim(), 'base64');
  if (key.length === KEY_BYTES) return key;
  throw new Error(`${path} is not a key: put back the one that was there, or remove it and pair your hosts again.`);
}

function madeIfMissing(path: string): string {
  try {
    writeFileSync(path, `${randomBytes(KEY_BYTES).toString('base64')}\n`, { flag: 'wx', mode: 0o600, flush: true });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  return path;
}
