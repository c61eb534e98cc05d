import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import * as v from 'valibot';
import { readStateSync, writeStateSync } from '../../processes/state-file.ts';

const TokenSchema = v.object({
  login: v.string(),
  sha256: v.string(),
  scopes: v.array(v.string()),
  expiresAt: v.nullable(v.string()),
});

/** The owner and scopes of a token; `expiresAt` is RFC 3339. */
export type TokenGrant = Omit<v.InferOutput<typeof TokenSchema>, 'sha256'>;

export interface NewToken {
  readonly login: string;
  /** The token itself; a random one when absent. */
  readonly secret?: string;
  readonly scopes?: readonly string[];
  readonly expiresAt?: string;
}

/** The access tokens of the host; only their digests are stored. */
export interface Tokens {
  /** Creates a token and returns it; only its digest is stored. */
  add(token: NewToken): string;
  /** Returns what a token grants, or null when it is unknown or has expired. */
  find(secret: string): TokenGrant | null;
}

export function tokensIn(file: string): Tokens {
  const read = () => readStateSync(file, v.array(TokenSchema)) ?? [];
  return {
    add({ login, secret = `local_${randomBytes(24).toString('hex')}`, scopes = ['repo'], expiresAt = null }) {
      const token = { login, sha256: digest(secret).toString('hex'), scopes: [...scopes], expiresAt };
      const others = read().filter(({ sha256 }) => sha256 !== token.sha256);
      writeStateSync(file, [...others, token], { secret: true, durable: true });
      return secret;
    },
    find(secret) {
      const mine = digest(secret);
      const token = read().find(({ sha256 }) => timingSafeEqual(Buffer.from(sha256, 'hex'), mine));
      if (!token || (token.expiresAt !== null && Date.parse(token.expiresAt) <= Date.now())) return null;
      const { login, scopes, expiresAt } = token;
      return { login, scopes, expiresAt };
    },
  };
}

function digest(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}
