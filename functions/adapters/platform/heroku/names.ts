import { createHash } from 'node:crypto';
import type { AppRef } from '../../../core/ports/hosting-platform.ts';

/** Of Heroku: https://devcenter.heroku.com/articles/platform-api-reference#app (`^[a-z][a-z0-9-]{1,28}[a-z0-9]$`). */
const MAX_APP_NAME = 30;
const HASH_DIGITS = 9;

/** The names of the two apps on Heroku that an application consists of. */
export interface HerokuNames {
  /** The app that answers. */
  readonly run: string;
  /** The app in which snapshots are built; it never runs anything. */
  readonly build: string;
}

/**
 * Returns the names of an application on Heroku: `<user>-<app>-<hash>` and `build-<user>-<app>-<hash>`, cut to fit.
 * Names are global there, so the hash has the installation in it: two installations with the same users do not meet.
 */
export function herokuNames(seed: string, app: AppRef): HerokuNames {
  return { run: nameOf('run', seed, app), build: nameOf('build', seed, app) };
}

function nameOf(role: keyof HerokuNames, seed: string, { user, app }: AppRef): string {
  const identity = JSON.stringify([role, seed, user, app]);
  const hash = createHash('sha256').update(identity).digest('hex').slice(0, HASH_DIGITS);
  const words = `${role === 'build' ? 'build-' : ''}${user}-${app}`.toLowerCase().replace(/[^a-z0-9]+/g, '-');
  const middle = words.replace(/^[^a-z]+/, '').slice(0, MAX_APP_NAME - HASH_DIGITS - 1);
  return `${middle.replace(/-+$/, '') || 'app'}-${hash}`;
}
