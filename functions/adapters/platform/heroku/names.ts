import type { AppRef } from '../../../core/ports/hosting-platform.ts';
import { globalName } from '../provider/global-name.ts';

/** Of Heroku: https://devcenter.heroku.com/articles/platform-api-reference#app (`^[a-z][a-z0-9-]{1,28}[a-z0-9]$`). */
const MAX_APP_NAME = 30;

/** The names of the two apps on Heroku that an application consists of. */
export interface HerokuNames {
  /** The app that answers. */
  readonly run: string;
  /** The app in which snapshots are built; it never runs anything. */
  readonly build: string;
}

/** Returns the names of an application on Heroku: `<user>-<app>-<hash>` and `build-<user>-<app>-<hash>`. */
export function herokuNames(seed: string, app: AppRef): HerokuNames {
  const parts = { seed, app, maxLength: MAX_APP_NAME };
  return {
    run: globalName({ ...parts, role: 'run' }),
    build: globalName({ ...parts, role: 'build', prefix: 'build-' }),
  };
}
