import * as v from 'valibot';
import { basicHeader } from '../../../functions/core/basic-auth.ts';
import { printable } from '../../terminal/printable.ts';
import type { Service } from '../service/service.ts';
import type { HookOptions } from './options.ts';

/** Printed in place of the secret. */
export const SECRET_PLACEHOLDER = '<token>';

/** Returns the URL that a webhook calls, with the login in it unless `login` is null. */
export function endpoint(
  {
    service,
    branch,
    previews,
    comment,
  }: Pick<HookOptions, 'service' | 'branch'> & Partial<Pick<HookOptions, 'previews' | 'comment'>>,
  login: { readonly user: string; readonly secret: string } | null,
): string {
  const query = [
    ...(branch === undefined ? [] : [`branch=${encodeURIComponent(branch)}`]),
    ...(previews ? ['previews=true'] : []),
    ...(comment ? ['comment=true'] : []),
  ].join('&');
  const plain = `${service}/1/deploy${query === '' ? '' : `?${query}`}`;
  if (login === null) return plain;
  const parts = [login.user, login.secret].map((part) => (/^<\w+>$/.test(part) ? part : encodeURIComponent(part)));
  return plain.replace('://', `://${parts.join(':')}@`);
}

/** Returns the value of the `Authorization` header for a login. */
export function basic({ user, secret }: { readonly user: string; readonly secret: string }): string {
  return basicHeader(`${user}:${secret}`);
}

/** Returns whether a URL is an endpoint of the service, with any login and branch. */
export function isEndpoint(text: string, { service }: Pick<HookOptions, 'service'>): boolean {
  if (!URL.canParse(text)) return false;
  const url = new URL(text);
  const path = url.pathname.replace(/\/+$/, '');
  return [service, `${service}/1/deploy`].includes(`${url.origin}${path}`);
}

/** Returns a URL with its password replaced by `***`. */
export function withoutSecret(text: string): string {
  if (!URL.canParse(text)) return '(no address)';
  const url = new URL(text);
  if (url.password !== '') url.password = '***';
  return url.href;
}

const Answer = v.looseObject({ links: v.looseObject({ deploy: v.pipe(v.string(), v.url()) }) });
const PATH = '/1/deploy';
const TIMEOUT_MS = 5_000;

/**
 * Returns the address by which others call a service, without a slash at the end: a service on this machine is found
 * by its address here, and knows the one of its proxy.
 */
export async function publicAddress({ url }: Pick<Service, 'url'>, signal: AbortSignal): Promise<string> {
  if (!isLoopback(url)) return url;
  try {
    const response = await fetch(`${url}/`, {
      headers: { accept: 'application/json' },
      redirect: 'manual',
      signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
    });
    const { deploy } = v.parse(Answer, await response.json()).links;
    return deploy.endsWith(PATH) ? printable(deploy.slice(0, -PATH.length)) : url;
  } catch {
    return url;
  }
}

/** Whether an address leads to this machine, so that nothing elsewhere can call it. */
export function isLoopback(url: string): boolean {
  const { hostname } = new URL(url);
  return hostname === 'localhost' || hostname === '[::1]' || hostname.startsWith('127.');
}
