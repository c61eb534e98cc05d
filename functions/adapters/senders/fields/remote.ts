import * as v from 'valibot';
import { ANY_HOST_KIND, type DeliveredRepository } from '../../../core/payload/delivery.ts';
import { ownerPath, segment } from './git.ts';

/** The kinds of the public services, by host name. Other host names can belong to a host of any kind. */
const publicHosts = new Map<string, string>([
  ['github.com', 'github'],
  ['gitlab.com', 'gitlab'],
  ['bitbucket.org', 'bitbucket'],
]);
/** Aliases, most of which are for SSH over port 443. */
const hostAliases = new Map<string, string>([
  ['www.github.com', 'github.com'],
  ['ssh.github.com', 'github.com'],
  ['altssh.gitlab.com', 'gitlab.com'],
  ['altssh.bitbucket.org', 'bitbucket.org'],
]);
const MAX_LENGTH = 2048;

/** The location of a repository, as CI providers send it. */
export type LocatedRepository = Pick<DeliveredRepository, 'hostname' | 'owner' | 'name' | 'url'>;

/** Returns the kind of repository host of a host name; `any` unless it is a public service. */
export function hostKindAt(hostname: string | null): string {
  return publicHosts.get(hostname ?? '') ?? ANY_HOST_KIND;
}

/**
 * Returns the repository of the URL of its web page or git remote: `https://host/owner/name(.git)`, `ssh://`, `git://`,
 * `git@host:owner/name.git`. Null for anything else. The port of an SSH URL is removed, because it is not the port of
 * the web page.
 */
export function repositoryAt(address: unknown): LocatedRepository | null {
  const remote = remoteUrl(address);
  return remote && located(hostnameOf(remote), remote.pathname, isWeb(remote) ? remote.protocol : 'https:');
}

/**
 * Returns the host name of the first value that is the URL of a web page or git remote, whatever its path; null when
 * none is.
 */
export function hostnameAt(addresses: readonly unknown[]): string | null {
  for (const address of addresses) {
    const remote = remoteUrl(address);
    if (remote !== null) return hostnameOf(remote);
  }
  return null;
}

function remoteUrl(address: unknown): URL | null {
  if (typeof address !== 'string' || address.length > MAX_LENGTH) return null;
  const scp = /^(?:[\w.-]+@)?([\w.-]+):(?!\/)(.+)$/.exec(address);
  const remote = scp ? `ssh://${scp[1]}/${scp[2]}` : address;
  return /^(?:https?|ssh|git):\/\//i.test(remote) && URL.canParse(remote) ? new URL(remote) : null;
}

function hostnameOf(remote: URL): string {
  const where = (isWeb(remote) ? remote.host : remote.hostname).toLowerCase();
  return hostAliases.get(where) ?? where;
}

function isWeb({ protocol }: URL): boolean {
  return protocol === 'http:' || protocol === 'https:';
}

/** Returns the repository of a path `owner/name`, whose owner may be nested; null when it is not such a path. */
export function repositoryNamed(path: string | null | undefined): LocatedRepository | null {
  return typeof path === 'string' && path.length <= MAX_LENGTH ? located(null, path, 'https:') : null;
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

/** Returns the repository of a delivery from its location. CI providers do not send whether it is private. */
export function delivered(repository: LocatedRepository | null): DeliveredRepository {
  return { hostname: null, owner: '', name: '', url: null, ...repository, private: false };
}
