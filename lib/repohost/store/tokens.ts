import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import * as v from 'valibot';
import { readStateSync, writeStateSync } from '../../files/state-file.ts';

const TokenSchema = v.object({
  login: v.string(),
  sha256: v.string(),
  scopes: v.array(v.string()),
  expiresAt: v.nullable(v.string()),
  /** RFC 3339; tokens of earlier versions have none. */
  createdAt: v.optional(v.nullable(v.string()), null),
});

/** The owner and scopes of a token; `expiresAt` is RFC 3339. */
export type TokenGrant = Omit<v.InferOutput<typeof TokenSchema>, 'sha256' | 'createdAt'>;

/** A token as its owner sees it in a list: never the token itself. */
interface TokenInfo {
  /** Names it, to revoke it by: the beginning of its digest. */
  readonly id: string;
  readonly createdAt: string | null;
  readonly expiresAt: string | null;
}

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
  /** Returns the grant of a token, or null when it is unknown or has expired. */
  find(secret: string): TokenGrant | null;
  /** Returns the tokens of an owner, oldest first. */
  list(login: string): readonly TokenInfo[];
  /** Revokes a token of an owner by its id; false when there is none. */
  revoke(login: string, id: string): boolean;
  /** Revokes the tokens of all other owners. */
  keep(logins: readonly string[]): void;
}

const ID_LENGTH = 12;
type StoredToken = v.InferOutput<typeof TokenSchema>;

export function tokensIn(file: string): Tokens {
  const read = () => readStateSync(file, v.array(TokenSchema)) ?? [];
  const write = (tokens: readonly StoredToken[]) => writeStateSync(file, tokens, { secret: true, durable: true });
  return {
    add({ login, secret = `local_${randomBytes(24).toString('hex')}`, scopes = ['repo'], expiresAt = null }) {
      const token = { login, sha256: digest(secret).toString('hex'), scopes: [...scopes], expiresAt, createdAt: now() };
      const others = read().filter(({ sha256 }) => sha256 !== token.sha256);
      write([...others, token]);
      return secret;
    },
    find(secret) {
      const mine = digest(secret);
      const token = read().find(({ sha256 }) => timingSafeEqual(Buffer.from(sha256, 'hex'), mine));
      if (!token || (token.expiresAt !== null && Date.parse(token.expiresAt) <= Date.now())) return null;
      const { login, scopes, expiresAt } = token;
      return { login, scopes, expiresAt };
    },
    list: (login) =>
      read()
        .filter((token) => token.login === login)
        .map(({ sha256, createdAt, expiresAt }) => ({ id: sha256.slice(0, ID_LENGTH), createdAt, expiresAt })),
    revoke(login, id) {
      const all = read();
      const left = all.filter((token) => token.login !== login || token.sha256.slice(0, ID_LENGTH) !== id);
      if (left.length < all.length) write(left);
      return left.length < all.length;
    },
    keep(logins) {
      const all = read();
      const left = all.filter(({ login }) => logins.includes(login));
      if (left.length < all.length) write(left);
    },
  };
}

function now(): string {
  return new Date().toISOString();
}

function digest(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}
