import { isObject } from '../json.ts';
import { jsonIn } from '../json-value.ts';
import type { Account, ApiToken, UsedToken, UserStore } from '../ports/accounts.ts';
import type { PasswordHash } from '../secrets.ts';

export interface StoredToken extends UsedToken {
  readonly hash: string;
  /** RFC 3339. */
  readonly created_at: string;
}

export interface StoredUser {
  readonly record: Account['record'];
  readonly password: PasswordHash;
  /** The oldest first. */
  readonly tokens: readonly StoredToken[];
}

/** Names are part of addresses, and on AWS of the names of functions. */
const USER_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/;

/** Whether there can be a user of this name. */
export function isUserName(user: string): boolean {
  return USER_NAME.test(user);
}

/** Returns a user; null when there is none. Throws when the document is damaged. */
export async function findUser(
  { read }: Pick<UserStore, 'read'>,
  user: string,
): Promise<{ readonly document: string; readonly stored: StoredUser } | null> {
  const document = isUserName(user) ? await read(user) : null;
  return document === null ? null : { document, stored: storedIn(user, document) };
}

/** Changes a user who exists; returns false when there is none. It is repeated when another change comes first. */
export async function changeUser(
  store: Pick<UserStore, 'read' | 'write'>,
  user: string,
  edit: (stored: StoredUser) => StoredUser,
): Promise<boolean> {
  for (;;) {
    const userDocument = await findUser(store, user);
    if (!userDocument) return false;
    if (await store.write(user, JSON.stringify(edit(userDocument.stored)), userDocument.document)) return true;
  }
}

/** Returns a user's API tokens without their hashes. */
export function tokensOf({ tokens }: StoredUser): readonly ApiToken[] {
  return tokens.map((token) => ({ ...usedToken(token), createdAt: token.created_at }));
}

export function usedToken({ name, rights }: UsedToken): UsedToken {
  return { name, ...(rights !== undefined && { rights }) };
}

/** Returns the user in a document, or throws a sentence for the operator. */
export function storedIn(user: string, document: string): StoredUser {
  const value = jsonIn(document);
  if (isStoredUser(value)) return { record: value.record, password: value.password, tokens: value.tokens };
  throw new Error(`The stored user ${user} is damaged.`);
}

function isStoredUser(value: unknown): value is StoredUser {
  if (!isObject(value) || !isObject(value.record) || !Array.isArray(value.tokens)) return false;
  return (
    hasTexts(value.password, 'salt', 'hash') && value.tokens.every((one) => hasTexts(one, 'name', 'hash', 'created_at'))
  );
}

function hasTexts(value: unknown, ...names: readonly string[]): boolean {
  return isObject(value) && names.every((name) => typeof value[name] === 'string');
}
