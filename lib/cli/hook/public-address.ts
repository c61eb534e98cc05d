import * as v from 'valibot';
import { printable } from '../../terminal/printable.ts';
import type { Service } from '../service/service.ts';

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
