import { decodePercent } from '../basic-auth.ts';
import { backOff } from '../concurrency.ts';
import { DeployError } from '../errors.ts';
import { isRefusal } from '../login.ts';
import type { FailureMemory, LoginFailures, LoginSource } from '../ports/limits.ts';
import type { Clock, Trace } from '../ports/system.ts';
import { looksLikeToken } from '../secrets.ts';

export interface LoginAttempt {
  readonly user: string;
  /** Never logged, stored or put in a message. */
  readonly secret: string;
  readonly address: string;
}

export interface ThrottlePorts {
  readonly failures: FailureMemory;
  readonly clock: Pick<Clock, 'now'>;
  readonly trace: Trace;
}

/** Wrong passwords of a user from an address without a pause. */
const FREE = 10;
/** The same, while the user or the address has many elsewhere: the first password is always tried. */
const FREE_UNDER_ATTACK = 1;
/** Wrong passwords of a user, or from an address, that are an attack. */
const ATTACK = 100;
/** In milliseconds. */
const PAUSES = { first: 1_000, most: 30_000 };
/**
 * Different passwords of a user from an address that a process checks at a time. One function of AWS checks one; on one
 * machine all wait for the same processor, and those of others with them.
 */
const MOST_AT_ONCE = 4;

/**
 * Returns a function that checks a login and slows down those who guess passwords. After ten wrong ones of a user from
 * an address there is a pause before the next try, of 1 s to 30 s; throws `request:throttled` meanwhile. API tokens are
 * not slowed down, because they cannot be guessed. When the store does not answer, logins are not slowed down.
 */
export function loginThrottle(ports: ThrottlePorts): <T>(attempt: LoginAttempt, check: () => Promise<T>) => Promise<T> {
  const { failures, trace } = ports;
  const safely = <T>(work: Promise<T>, otherwise: T) =>
    work.catch((error: unknown) => {
      trace('wrong logins not remembered', { error });
      return otherwise;
    });
  const slowedDown = async <T>(source: LoginSource, check: () => Promise<T>): Promise<T> => {
    const seen = await safely(failures.read(source), NONE);
    const waitMs = await safely(waitFor(source, seen, ports), 0);
    if (waitMs > 0) throw throttled(Math.ceil(waitMs / 1000));
    try {
      const login = await check();
      if (seen.here > 0) await safely(failures.forget(source), undefined);
      return login;
    } catch (error) {
      if (isRefusal(error)) await safely(failures.add(source), undefined);
      throw error;
    }
  };
  const atOnce = new Map<string, number>();
  return async (attempt, check) => {
    if (looksLikeToken(attempt.secret)) return check();
    const source = sourceOf(attempt);
    const key = JSON.stringify(source);
    const others = atOnce.get(key) ?? 0;
    if (others >= MOST_AT_ONCE) throw throttled(PAUSES.first / 1000);
    atOnce.set(key, others + 1);
    try {
      return await slowedDown(source, check);
    } finally {
      const left = (atOnce.get(key) ?? 1) - 1;
      if (left > 0) atOnce.set(key, left);
      else atOnce.delete(key);
    }
  };
}

const NONE: LoginFailures = { here: 0, pauseUntil: 0, ofUser: 0, ofAddress: 0 };

/** Returns the milliseconds to wait; with 0 the caller may try a password now. */
async function waitFor(source: LoginSource, seen: LoginFailures, { failures, clock }: ThrottlePorts): Promise<number> {
  const isAttack = seen.ofUser >= ATTACK || seen.ofAddress >= ATTACK;
  const beyond = seen.here - (isAttack ? FREE_UNDER_ATTACK : FREE);
  if (beyond < 0) return 0;
  const waitMs = seen.pauseUntil - clock.now();
  if (waitMs > 0) return waitMs;
  const pauseMs = isAttack ? PAUSES.most : backOff(beyond, PAUSES);
  return (await failures.beginPause(source, seen, clock.now() + pauseMs)) ? 0 : pauseMs;
}

/** Decoded, because a user whose name is written in another way is tried as well. */
function sourceOf({ user, address }: LoginAttempt): LoginSource {
  return { user: decodePercent(user) ?? user, address: networkOf(address) };
}

/** A customer of a provider has a whole /64 of IPv6: https://www.rfc-editor.org/rfc/rfc6177 */
function networkOf(address: string): string {
  if (!address.includes(':') || address.includes('.')) return address;
  const [head = '', tail = ''] = address.toLowerCase().split('::');
  const groups = (text: string) => (text === '' ? [] : text.split(':'));
  const missing = 8 - groups(head).length - groups(tail).length;
  const all = address.includes('::') ? [...groups(head), ...Array(missing).fill('0'), ...groups(tail)] : groups(head);
  return `${all
    .slice(0, 4)
    .map((group) => group.replace(/^0+(?=.)/, ''))
    .join(':')}::/64`;
}

function throttled(retryAfter: number): DeployError {
  const detail = `Too many wrong passwords for this user; try again in ${retryAfter} s, or log in with an API token.`;
  return new DeployError('request:throttled', detail, { retryAfter });
}
