import type { Login } from '../../client/client.ts';
import type { HookOptions, WebhookSettings } from './options.ts';

/** Printed in place of the secret. */
export const SECRET_PLACEHOLDER = '<token>';

/** Returns the URL that a webhook calls, with the login in it unless `login` is null. */
export function endpoint(
  { service, branch, previews, comment }: Omit<WebhookSettings, 'user' | 'repository'>,
  login: Login | null,
): string {
  const query = [
    branch && `branch=${encodeURIComponent(branch)}`,
    previews && 'previews=true',
    comment && 'comment=true',
  ]
    .filter(Boolean)
    .join('&');
  const plain = `${service}/1/deploy${query === '' ? '' : `?${query}`}`;
  if (login === null) return plain;
  const parts = [login.user, login.secret].map((part) => (/^<\w+>$/.test(part) ? part : encodeURIComponent(part)));
  return plain.replace('://', `://${parts.join(':')}@`);
}

/** Returns whether a URL is an endpoint of the service, with any login and branch. */
export function isEndpoint(text: string, { service }: Pick<HookOptions, 'service'>): boolean {
  if (!URL.canParse(text)) return false;
  const url = new URL(text);
  const path = url.pathname.replace(/\/+$/, '');
  return [service, `${service}/1/deploy`].includes(`${url.origin}${path}`);
}

export function withoutSecret(text: string): string {
  if (!URL.canParse(text)) return '(no address)';
  const url = new URL(text);
  if (url.password !== '') url.password = '***';
  return url.href;
}
