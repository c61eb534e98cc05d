import * as v from 'valibot';
import { anyHostKind, type DeliveredRepository } from '../../../core/payload/delivery.ts';
import { ownerPath, segment } from './git.ts';

/** The hosts that are one service, by host name. Others may be of any kind, on any name. */
const publicHosts = new Map<string, string>([
  ['github.com', 'github'],
  ['gitlab.com', 'gitlab'],
  ['bitbucket.org', 'bitbucket'],
]);
/** SSH over port 443 has names of its own. */
const otherNames = new Map<string, string>([
  ['www.github.com', 'github.com'],
  ['ssh.github.com', 'github.com'],
  ['altssh.gitlab.com', 'gitlab.com'],
  ['altssh.bitbucket.org', 'bitbucket.org'],
]);
const MAX_LENGTH = 2048;

/** A repository as a CI provider names it: where it lives, and whose and what it is. */
export type LocatedRepository = Pick<DeliveredRepository, 'hostname' | 'owner' | 'name' | 'url'>;

/** The kind of repository host behind a host name; `any` when the name does not say it. */
export function hostKindAt(hostname: string | null): string {
  return publicHosts.get(hostname ?? '') ?? anyHostKind;
}

/**
 * The repository behind the address of its page or of its git remote: `https://host/owner/name(.git)`, `ssh://`,
 * `git://`, `git@host:owner/name.git`. Null when the text is none of these, or leads elsewhere. The port of an SSH
 * address is left out, because it is not the one of the host's page.
 */
export function repositoryAt(address: unknown): LocatedRepository | null {
  if (typeof address !== 'string' || address.length > MAX_LENGTH) return null;
  const scp = /^(?:[\w.-]+@)?([\w.-]+):(?!\/)(.+)$/.exec(address);
  const remote = scp ? `ssh://${scp[1]}/${scp[2]}` : address;
  if (!/^(?:https?|ssh|git):\/\//i.test(remote) || !URL.canParse(remote)) return null;
  const { protocol, host, hostname, pathname } = new URL(remote);
  const isWeb = protocol === 'http:' || protocol === 'https:';
  const where = (isWeb ? host : hostname).toLowerCase();
  return located(otherNames.get(where) ?? where, pathname, isWeb ? protocol : 'https:');
}

/** The repository of a path `owner/name`, owners being nested or not; null when it is no such path. */
export function repositoryNamed(
  path: string | null | undefined,
  hostname: string | null = null,
): LocatedRepository | null {
  return typeof path === 'string' && path.length <= MAX_LENGTH ? located(hostname, path, 'https:') : null;
}

function located(hostname: string | null, path: string, protocol: string): LocatedRepository | null {
  const segments = path
    .replace(/^\/|\/$/g, '')
    .replace(/\.git$/, '')
    .split('/');
  const name = segments.pop();
  const owner = segments.join('/');
  if (!v.is(segment, name) || !v.is(ownerPath, owner)) return null;
  return { hostname, owner, name, url: hostname === null ? null : `${protocol}//${hostname}/${owner}/${name}` };
}
