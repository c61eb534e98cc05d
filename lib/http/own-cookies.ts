import type { IncomingHttpHeaders } from 'node:http';

/**
 * Removes `Domain` from cookies that would be sent to the names above an application's own ones, where other
 * applications and the service are. Such a cookie is then for the application alone.
 */
export function keepCookiesOwn(headers: IncomingHttpHeaders, ownNames: readonly string[]): void {
  const cookies = headers['set-cookie'];
  if (!cookies) return;
  headers['set-cookie'] = cookies.map((cookie) => {
    const [value, ...attributes] = cookie.split(';');
    return [value, ...attributes.filter((one) => !isAbove(one, ownNames))].join(';');
  });
}

/** Whether the attribute of a cookie is a domain that contains one of the names. */
function isAbove(attribute: string, names: readonly string[]): boolean {
  const [, domain] = /^\s*domain\s*=\s*\.?(.*?)\s*$/i.exec(attribute) ?? [];
  return domain !== undefined && names.some((name) => name.endsWith(`.${domain.toLowerCase()}`));
}
