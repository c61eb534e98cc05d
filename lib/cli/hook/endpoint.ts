import type { HookOptions } from './options.ts';

/** Stands where the secret would. */
export const placeholder = '<token>';

/** The endpoint that a webhook calls, with the login in it unless `login` is null. */
export function endpoint(
  { service, branch }: Pick<HookOptions, 'service' | 'branch'>,
  login: { readonly user: string; readonly secret: string } | null,
): string {
  const query = branch === undefined ? '' : `?branch=${encodeURIComponent(branch)}`;
  const plain = `${service}/1/deploy${query}`;
  if (login === null) return plain;
  const parts = [login.user, login.secret].map((part) => (/^<\w+>$/.test(part) ? part : encodeURIComponent(part)));
  return plain.replace('://', `://${parts.join(':')}@`);
}

/** The `Authorization` header that says the same. */
export function basic({ user, secret }: { readonly user: string; readonly secret: string }): string {
  return `Basic ${Buffer.from(`${user}:${secret}`).toString('base64')}`;
}

/** Whether an address is an endpoint of the service, whatever the login and the branch. */
export function isEndpoint(text: string, { service }: Pick<HookOptions, 'service'>): boolean {
  if (!URL.canParse(text)) return false;
  const url = new URL(text);
  const path = url.pathname.replace(/\/+$/, '');
  return [service, `${service}/1/deploy`].includes(`${url.origin}${path}`);
}

/** An address fit to be shown: without the secret in it. */
export function withoutSecret(text: string): string {
  if (!URL.canParse(text)) return '(no address)';
  const url = new URL(text);
  if (url.password !== '') url.password = '***';
  return url.href;
}
