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
export function pushLines({ host, user, name }: OwnRepository): string {
  const url = new URL(`${host}/${encodeURIComponent(user)}/${encodeURIComponent(name)}.git`);
  url.username = user;
  return [
    'git init && git add --all && git commit -m "First"',
    `git remote add hooks ${url.href}`,
    'git push hooks HEAD',
  ].join('\n');
}

/** Calls that nobody but the service itself makes. */
const OWN_CALLS = ['manual', 'reconciled'];

/** Returns the entries that calls have made after the one of a number, newest first. */
export function calledSince(ordered: readonly Entry[], number: number): readonly Entry[] {
  return ordered.filter((entry) => numberOf(entry) > number && !OWN_CALLS.includes(entry.provider));
}
