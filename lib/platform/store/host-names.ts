import { createHash } from 'node:crypto';
import { appName } from '../../../functions/core/entry/package-name.ts';
import { LAPTOP_DOMAIN, type PublicDomain } from '../../http/app-domain.ts';
import type { AppId } from '../../runner/calls.ts';
import type { PublicService } from '../settings.ts';

/** Returns the host name of the application on this machine: `<app>.<user>.localhost`. */
export function appHost(name: AppId): string {
  return `${labelsOf(name)}.${LAPTOP_DOMAIN}`;
}

/** Returns all host names of the application, with that below the domain of the server when there is one. */
export function appHosts(name: AppId, domain: string | undefined): readonly string[] {
  return [appHost(name), ...(domain === undefined ? [] : [`${labelsOf(name)}.${domain}`])];
}

/** Returns the address of the application from other machines. */
export function publicUrl(name: AppId, { domain, protocol, port }: PublicDomain): string {
  return `${protocol}//${labelsOf(name)}.${domain}${port && `:${port}`}`;
}

/** Returns the address of a domain of an application. */
export function domainUrl(name: string, { protocol, port }: Pick<PublicService, 'protocol' | 'port'>): string {
  return `${protocol}//${name}${port && `:${port}`}`;
}

/**
 * Returns the DNS labels of an application, `<app>.<user>`, which no other application has. Its segment in paths is
 * such a label already, and two packages with the same segment are refused.
 */
export function labelsOf({ user, app }: AppId): string {
  return `${app}.${userLabel(user)}`;
}

const DIGEST_LENGTH = 8;
const LONGEST_LABEL = 63;
const WITH_DIGEST = new RegExp(`-[\\da-f]{${DIGEST_LENGTH}}$`);

/**
 * A user's name is not always a label: DNS does not know upper case, and a label neither begins nor ends with a dash.
 * Such a name is changed and gets a digest of itself, so that `Ann` and `ann` differ. A name that looks like the result
 * gets one too.
 */
function userLabel(user: string): string {
  const label = appName(user);
  if (label === user && !WITH_DIGEST.test(user)) return user;
  const digest = createHash('sha256').update(user).digest('hex').slice(0, DIGEST_LENGTH);
  const start = label.slice(0, LONGEST_LABEL - DIGEST_LENGTH - 1).replace(/(?<!-)-+$/, '');
  return `${start || 'user'}-${digest}`;
}
