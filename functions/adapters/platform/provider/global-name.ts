import { createHash } from 'node:crypto';
import type { AppRef } from '../../../core/ports/hosting-platform.ts';

const HASH_DIGITS = 9;

/** What a name is made of. */
export interface NameParts {
  readonly app: AppRef;
  /** What tells this installation from every other one. */
  readonly seed: string;
  /** What tells the apps of one application apart. */
  readonly role: string;
  /** Put before the user's name. */
  readonly prefix?: string;
  readonly maxLength: number;
}

/**
 * Returns `<prefix><user>-<app>-<hash>`, cut to fit: lower-case letters, digits and single hyphens, a letter first.
 * Names of apps are global at a provider, so the hash has the installation in it: two installations with the same users
 * do not meet.
 */
export function globalName({ app: { user, app }, seed, role, prefix = '', maxLength }: NameParts): string {
  const identity = JSON.stringify([role, seed, user, app]);
  const hash = createHash('sha256').update(identity).digest('hex').slice(0, HASH_DIGITS);
  const words = `${prefix}${user}-${app}`.toLowerCase().replace(/[^a-z0-9]+/g, '-');
  const middle = words.replace(/^[^a-z]+/, '').slice(0, maxLength - HASH_DIGITS - 1);
  return `${middle.replace(/-+$/, '') || 'app'}-${hash}`;
}
