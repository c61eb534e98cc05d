import type { Entry, HostAway } from '../entry/entry.ts';
import { maskedDetail } from '../entry/mask.ts';
import { MANUAL } from '../entry/providers.ts';
import type { DeployError } from '../errors.ts';
import type { StageContext } from './stage-context.ts';

/**
 * How long a stage tries again while its host is away: as long as a hold lasts. A pause that begins within this time is
 * waited for, as is one until the reset of a limit of requests an hour.
 */
const AWAY_MS = 60 * 60_000;
/** How long a host may not know a commit that was pushed: its API may be behind its webhooks. */
export const UNKNOWN_MS = 60_000;
const LONGEST_PAUSE_SECONDS = 300;
/** The longest pause that another side may ask for. */
export const LONGEST_RETRY_AFTER_SECONDS = 3600;

/**
 * Returns when a stage that its repository host has failed is tried again; null when it has waited long enough, or
 * waiting does not help. The pauses grow with the time that it has waited, with jitter. A pause that the host asks for
 * comes before them, so that those who wait for its end do not all ask at the same moment.
 */
export function nextTry(
  entry: Entry,
  { host, retryAfter = 0 }: DeployError,
  { clock, ids, retryBaseSeconds }: Pick<StageContext, 'clock' | 'ids' | 'retryBaseSeconds'>,
): HostAway | null {
  if (host === undefined || (host === 'unknown' && entry.provider === MANUAL)) return null;
  const now = clock.now();
  const since = entry.hostAway?.since ?? now;
  const unknownSince = host === 'unknown' ? (entry.hostAway?.unknownSince ?? now) : undefined;
  if (now - since >= AWAY_MS || now - (unknownSince ?? now) >= UNKNOWN_MS) return null;
  const ceiling = Math.min(LONGEST_PAUSE_SECONDS, Math.max(retryBaseSeconds, (2 * (now - since)) / 1000));
  const jittered = Math.max(1, Math.round((ceiling * (1 + ids.fraction())) / 2));
  const seconds = jittered + Math.min(retryAfter, LONGEST_RETRY_AFTER_SECONDS);
  return { since, next: now + seconds * 1000, ...(unknownSince !== undefined && { unknownSince }) };
}

/** Returns the reason of an entry that waits for its repository host. */
export function waitInWords({ detail }: DeployError, { since, next }: HostAway): string {
  return `${maskedDetail(detail)} Tried since ${timeOf(since)}; the next try is at ${timeOf(next)}.`;
}

function timeOf(at: number): string {
  return `${new Date(at).toISOString().slice(11, 19)} UTC`;
}
