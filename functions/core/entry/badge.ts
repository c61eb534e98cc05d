import type { Badge } from '../ports/log-reader.ts';
import type { Entry } from './entry.ts';

/** Returns the badge that an entry gives its repository; null when the entry does not change the badge. */
export function badgeOf({ status }: Pick<Entry, 'status'>): Exclude<Badge, 'unknown'> | null {
  switch (status) {
    case 'ok':
      return 'ok';
    case 'error':
    case 'expired':
      return 'failed';
    case 'crashed':
      return 'crashed';
    case 'queued':
    case 'running':
      return 'deploying';
    case 'held':
      return 'held';
    default:
      return null;
  }
}
