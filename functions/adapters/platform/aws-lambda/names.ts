import { createHash } from 'node:crypto';
import type { AppRef, SnapshotRef } from '../../../core/ports/platform.ts';
import { pathOf } from './table/items.ts';

/** Lambda's limits: https://docs.aws.amazon.com/lambda/latest/api/API_CreateFunction.html */
const MAX_FUNCTION_NAME = 64;
const OF_JOBS = '-do';
/** 64 bits: users choose names, so that one could search for a name with another's hash. */
const HASH_DIGITS = 16;

/**
 * Returns the name of an application's function: `<prefix>-<user>-<app>-<hash>`. What Lambda does not allow is
 * replaced, and the middle is cut to fit; the hash keeps the names of two applications apart.
 */
export function functionName(prefix: string, { user, app }: AppRef): string {
  const hash = createHash('sha256').update(pathOf({ user, app })).digest('hex').slice(0, HASH_DIGITS);
  const room = MAX_FUNCTION_NAME - OF_JOBS.length - prefix.length - HASH_DIGITS - 2;
  const middle = `${user}-${app}`.replace(/[^a-zA-Z0-9_-]+/g, '-').slice(0, Math.max(0, room));
  return [prefix, middle, hash].filter((part) => part !== '').join('-');
}

/** Returns the name of the function that runs the commands of an application, beside that of the application. */
export function jobFunctionOf(name: string): string {
  return `${name}${OF_JOBS}`;
}

export function logGroupOf(name: string): string {
  return `/aws/lambda/${name}`;
}

/** The stream in the log group of an application for what the platform says about it. */
export const PLATFORM_STREAM = 'platform';

export function objectKeys(snapshot: SnapshotRef) {
  const path = `${pathOf(snapshot)}/${encodeURIComponent(snapshot.snapshot)}`;
  return {
    /** The tarball, as it was uploaded. */
    source: `snapshots/${path}.tgz`,
    /** The addresses that the build works with. */
    job: `jobs/${path}.json`,
    /** The archive that the build has made. */
    release: `releases/${path}.zip`,
    /** The entries of its cron, as JSON. */
    cron: `releases/${path}.cron.json`,
  };
}

/** Returns the keys of what a command of an application says, and of the signals that it gets. */
export function runKeys(app: AppRef, run: string) {
  const path = `runs/${pathOf(app)}/${encodeURIComponent(run)}`;
  return { output: `${path}.ndjson`, control: `${path}.signal` };
}

/** Returns the name of an entry of cron, as on one machine. */
export function cronName(at: number): string {
  return `@cron.${at + 1}`;
}

/** Returns the key of the object with the packages that an application's builds have downloaded. */
export function cacheKey(app: AppRef): string {
  return `caches/${pathOf(app)}.tgz`;
}

/** Returns a snapshot as one string, for the environment of its build. */
export function snapshotId({ user, app, snapshot }: SnapshotRef): string {
  return [user, app, snapshot].map(encodeURIComponent).join('/');
}
