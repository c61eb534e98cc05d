import type { Pairing } from '../api/shapes/logins.ts';
import { badParameter } from '../core/errors.ts';
import type { Accounts } from '../core/ports/accounts.ts';
import type { StoredToken, TokenStore } from '../core/ports/repository-host.ts';

export interface PairingsPorts {
  readonly tokens: Pick<TokenStore, 'list' | 'put' | 'remove'>;
  readonly accounts: Pick<Accounts, 'read' | 'update'>;
}

/** The field of the user's record that lists the pairings. */
const RECORD_FIELD = 'repohost_pairings';

export function viewOf({ host, login, app, scopes, expiresAt }: StoredToken): Pairing {
  return { host, login, app, scopes, expires_at: expiresAt };
}

/** The list is one field of the user's record, and one answer. */
const MAX_PAIRINGS = 200;

/** Throws `request:bad_parameter` when a user has the most pairings allowed. */
export async function checkRoom(
  user: string,
  { host, app }: Pick<StoredToken, 'host' | 'app'>,
  { tokens }: Pick<PairingsPorts, 'tokens'>,
): Promise<void> {
  const others = (await tokens.list(user)).filter((one) => one.host !== host || one.app !== app);
  if (others.length < MAX_PAIRINGS) return;
  throw badParameter(`A user has at most ${MAX_PAIRINGS} pairings: delete one first.`);
}

/**
 * Stores a token; it replaces that of the same host and application. The user's record is updated first: it may list a
 * token that is not stored, which the next pairing corrects, but no token is stored that its owner does not see.
 * Throws `auth:repohost:get_user_failed` and `auth:repohost:update_user_failed`; then nothing is stored.
 */
export async function keep(user: string, token: StoredToken, ports: PairingsPorts): Promise<void> {
  const others = (await ports.tokens.list(user)).filter(({ host, app }) => host !== token.host || app !== token.app);
  await updateRecord(user, [...others, token], ports);
  await ports.tokens.put(user, token);
}

/**
 * Removes a token, updates the user's record and returns what was removed; null when there was none. Throws like
 * `keep`, but the token is removed then.
 */
export async function forget(
  user: string,
  { host, app }: Pick<StoredToken, 'host' | 'app'>,
  ports: PairingsPorts,
): Promise<Pairing | null> {
  const tokens = await ports.tokens.list(user);
  const token = tokens.find((one) => one.host === host && one.app === app);
  await ports.tokens.remove(user, host, app);
  await updateRecord(
    user,
    tokens.filter((one) => one !== token),
    ports,
  );
  return token ? viewOf(token) : null;
}

/** Writes the list into the record and leaves its other fields as they are. */
async function updateRecord(user: string, tokens: readonly StoredToken[], { accounts }: PairingsPorts): Promise<void> {
  // Read right before the write, so that changes by others are not lost.
  const { record } = await accounts.read(user);
  const pairings = tokens.map(viewOf);
  if (JSON.stringify(record[RECORD_FIELD] ?? []) === JSON.stringify(pairings)) return;
  await accounts.update({ user, record: { ...record, [RECORD_FIELD]: pairings } });
}
