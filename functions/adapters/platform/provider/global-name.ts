import { createHash } from 'node:crypto';
import type { AppRef } from '../../../core/ports/hosting-platform.ts';

const HASH_DIGITS = 9;

/** The components of an app's name at a provider. */
export interface NameParts {
  readonly app: AppRef;
  /** Unique to this installation. */
  readonly seed: string;
  /** Distinguishes the apps of one application. */
  readonly role: string;
  /** Put before the user's name. */
  readonly prefix?: string;
  readonly maxLength: number;
}

/**
 * Returns `<prefix><user>-<app>-<hash>`, cut to fit: lower-case letters, digits and single hyphens, a letter first.
 * Names of apps are global at a provider, so the hash includes the installation: two installations with the same users
 * get different names.
 */
export function globalName({ app: { user, app }, seed, role, prefix = '', maxLength }: NameParts): string {
  const identity = JSON.stringify([role, seed, user, app]);
  const hash = createHash('sha256').update(identity).digest('hex').slice(0, HASH_DIGITS);
  const words = `${prefix}${user}-${app}`.toLowerCase().replace(/[^a-z0-9]+/g, '-');
  const middle = words.replace(/^[^a-z]+/, '').slice(0, maxLength - HASH_DIGITS - 1);
  return `${middle.replace(/-+$/, '') || 'app'}-${hash}`;
}
