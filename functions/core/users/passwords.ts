import { createHmac } from 'node:crypto';
import { DeployError } from '../errors.ts';
import { isPassword, type PasswordHash } from '../secrets.ts';

/** Two of the four threads that Node has for scrypt and files: reading a file must not wait for passwords. */
const MOST_RUNNING = 2;
const MOST_WAITING = 32;
const MOST_WAITING_PER_USER = 8;
const MOST_WAITING_PER_DOOR = 4;
const RETRY_AFTER_SECONDS = 2;
const MAX_REMEMBERED = 1_000;

/** What a password opens, which is of a user: the login, or an application. */
interface Door {
  readonly user: string;
  readonly door: string;
}

/** Returns whether a secret is the stored password. Throws `request:throttled` when too many wait. */
type PasswordCheck = (door: Door, secret: string, stored: PasswordHash | undefined) => Promise<boolean>;

/**
 * Returns a check of passwords that remembers those that were right, so that only the first of many visits pays for
 * scrypt, and waits for it when others guess; equal ones under way share one derivation. What is remembered is an HMAC
 * under the key, which is of this process only; it covers the stored hash, so a changed password is checked again.
 */
export function passwordCheck(key: string): PasswordCheck {
  const inTurn = passwordTurns();
  const right = new Set<string>();
  const underWay = new Map<string, Promise<boolean>>();
  return async (door, secret, stored) => {
    const id = createHmac('sha256', key)
      .update(JSON.stringify([door.door, secret, stored?.hash]))
      .digest('base64');
    if (right.delete(id)) return Boolean(right.add(id)); // A Set keeps insertion order: the one used last is last.
    const check = underWay.get(id) ?? inTurn(door, () => isPassword(secret, stored));
    underWay.set(id, check);
    const result = await check.finally(() => underWay.delete(id));
    if (result) right.add(id);
    const [oldest] = right;
    if (right.size > MAX_REMEMBERED && oldest !== undefined) right.delete(oldest);
    return result;
  };
}

/**
 * Returns what does work with passwords two at a time, one of a door, in the order in which it came; that of another user is
 * before more of the same. It throws `request:throttled` when 32 wait, 8 of the user or 4 of the door.
 */
export function passwordTurns(): <T>(door: Door, work: () => Promise<T>) => Promise<T> {
  const running = new Set<Door>();
  const waiting = new Map<Door, () => void>();
  const isFree = ({ door }: Door) => [...running].every((one) => one.door !== door);
  const turn = (place: Door) => {
    const ofUser = [...waiting.keys()].filter(({ user }) => user === place.user);
    const ofDoor = ofUser.filter(({ door }) => door === place.door);
    const isFull = waiting.size >= MOST_WAITING || ofUser.length >= MOST_WAITING_PER_USER;
    if (isFull || ofDoor.length >= MOST_WAITING_PER_DOOR) throw tooMany();
    return new Promise<void>((begin) => waiting.set(place, begin));
  };
  /** Gives the place to the next one at once, so that nobody who comes now is before it. */
  const beginNext = () => {
    const free = [...waiting.keys()].filter(isFree);
    const next = free.find(({ user }) => [...running].every((one) => one.user !== user)) ?? free[0];
    if (!next) return;
    running.add(next);
    waiting.get(next)?.();
    waiting.delete(next);
  };
  return async ({ user, door }, work) => {
    const place = { user, door };
    if (running.size < MOST_RUNNING && isFree(place)) running.add(place);
    else await turn(place);
    try {
      return await work();
    } finally {
      running.delete(place);
      beginNext();
    }
  };
}

function tooMany(): DeployError {
  const detail = `Too many passwords are being checked; try again in ${RETRY_AFTER_SECONDS} s, or log in with an API token.`;
  return new DeployError('request:throttled', detail, { retryAfter: RETRY_AFTER_SECONDS });
}
