import * as v from 'valibot';
import type { DeliveredRepository } from '../../../core/payload/delivery.ts';
import { hostnameAt } from './remote.ts';

/** URLs of real repositories and builds are shorter. */
const MAX_LENGTH = 2048;

/**
 * Returns a URL of a payload that is safe to show: http or https only, because browsers execute `javascript:`, and
 * without credentials. Null for everything else.
 */
export function webAddress(value: unknown): URL | null {
  if (typeof value !== 'string' || value.length > MAX_LENGTH || !URL.canParse(value)) return null;
  const address = new URL(value);
  if (address.protocol !== 'https:' && address.protocol !== 'http:') return null;
  address.username = '';
  address.password = '';
  return address;
}

const address = v.optional(v.unknown());

/** The fields in which hosts send the addresses of a repository: of its page, and for `git clone`. */
export const addressFields = {
  html_url: address,
  web_url: address,
  url: address,
  clone_url: address,
  https_url: address,
  http_url: address,
  git_http_url: address,
  git_url: address,
  ssh_url: address,
  git_ssh_url: address,
};

type Addresses = { readonly [Name in keyof typeof addressFields]?: unknown };

/**
 * Returns a repository's page, and the host that its addresses name: any of them, because a push that names an unknown
 * host must not be taken for one of a configured host.
 */
export function pageOf(sent: Addresses): Pick<DeliveredRepository, 'hostname' | 'url'> {
  // In events of GitHub other than push, `url` is the API's URL, so `html_url` takes precedence.
  const page = webAddress(sent.html_url) ?? webAddress(sent.web_url) ?? webAddress(sent.url);
  const { url, clone_url, https_url, http_url, git_http_url, git_url, ssh_url, git_ssh_url } = sent;
  const remotes = [url, clone_url, https_url, http_url, git_http_url, git_url, ssh_url, git_ssh_url];
  return { hostname: page?.host ?? hostnameAt(remotes), url: page?.href ?? null };
}
