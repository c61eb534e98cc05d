import type { Entry } from '../../client/entry.ts';
import { numberOf } from '../../client/entry.ts';

/** A repository of the service's own host that an application is to be pushed to. */
interface OwnRepository {
  /** Address of the host, without a slash at the end. */
  readonly host: string;
  readonly user: string;
  readonly name: string;
}

/** The names that the repository host takes, as the pattern of a field. */
export const REPOSITORY_NAME = '[A-Za-z0-9][A-Za-z0-9._\\-]{0,99}';

/** Returns the lines that deploy a folder by git. The first is for a folder that is no repository yet. */
export function pushLines(repository: OwnRepository): string {
  return [
    'git init && git add --all && git commit -m "First"',
    `git remote add hooks ${addressOf(repository)}`,
    'git push hooks HEAD',
  ].join('\n');
}

/** Returns the lines that deploy an environment by git, whose repository is called `<application>-<environment>`. */
export function environmentLines(repository: OwnRepository, environment: string): string {
  return [
    `git remote add hooks-${environment} ${addressOf(repository)}`,
    `git push hooks-${environment} HEAD:refs/heads/${environment}`,
  ].join('\n');
}

function addressOf({ host, user, name }: OwnRepository): string {
  const url = new URL(`${host}/${encodeURIComponent(user)}/${encodeURIComponent(name)}.git`);
  url.username = user;
  return url.href;
}

/** Calls that nobody but the service itself makes. */
const OWN_CALLS = ['manual', 'reconciled'];

/** Returns the entries that calls have made after the one of a number, newest first. */
export function calledSince(ordered: readonly Entry[], number: number): readonly Entry[] {
  return ordered.filter((entry) => numberOf(entry) > number && !OWN_CALLS.includes(entry.provider));
}
