import type { Accounts } from '../core/ports/accounts.ts';
import type { StoredToken, TokenStore } from '../core/ports/token-store.ts';

/** A stored token as it is told: everything but the token. */
export interface PairingView {
  readonly host: string;
  /** The login at the host. */
  readonly login: string;
  /** The application it is restricted to, or `*`. */
  readonly app: string;
  readonly scopes: readonly string[];
  /** RFC 3339; null when it does not expire, or the host does not tell. */
  readonly expires_at: string | null;
}

/** What keeping the pairings of users needs. */
export interface PairingsPorts {
  readonly tokens: Pick<TokenStore, 'list' | 'put' | 'remove'>;
  readonly accounts: Pick<Accounts, 'read' | 'update'>;
}

/** Where the user's record at the platform lists the pairings. */
const field = 'repohost_pairings';

/** A stored token without what is sealed in it. */
export function viewOf({ host, login, app, scopes, expiresAt }: StoredToken): PairingView {
  return { host, login, app, scopes, expires_at: expiresAt };
}

/**
 * Stores a token, in place of the one that the host and application had. The user's record is told first: a token may be
 * listed there that is not stored, which the next pairing puts right, but none is stored that its owner does not see.
 * Throws `auth:repohost:get_user_failed` and `auth:repohost:update_user_failed`; then nothing is stored.
 */
export async function keep(user: string, token: StoredToken, ports: PairingsPorts): Promise<void> {
  const others = (await ports.tokens.list(user)).filter(({ host, app }) => host !== token.host || app !== token.app);
  await tell(user, [...others, token], ports);
  await ports.tokens.put(user, token);
}

/**
 * Removes a token and tells the user's record; gives what was removed, null when there was none. Throws like `keep`, but
 * the token is gone then.
 */
export async function forget(
  user: string,
  { host, app }: Pick<StoredToken, 'host' | 'app'>,
  ports: PairingsPorts,
): Promise<PairingView | null> {
  const tokens = await ports.tokens.list(user);
  const token = tokens.find((one) => one.host === host && one.app === app);
  await ports.tokens.remove(user, host, app);
  await tell(
    user,
    tokens.filter((one) => one !== token),
    ports,
  );
  return token ? viewOf(token) : null;
}

/** Writes the list into the record, which otherwise stays as the platform has it. */
async function tell(user: string, tokens: readonly StoredToken[], { accounts }: PairingsPorts): Promise<void> {
  // Read again each time, however lately it was: what others wrote meanwhile must not be lost.
  const { record } = await accounts.read(user);
  const pairings = tokens.map(viewOf);
  if (JSON.stringify(record[field] ?? []) === JSON.stringify(pairings)) return;
  await accounts.update({ user, record: { ...record, [field]: pairings } });
}
