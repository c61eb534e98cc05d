import * as v from 'valibot';
import { isLoopback } from '../../client/client.ts';
import { printableValue } from '../../terminal/printable.ts';
import { UsageError } from '../errors.ts';

/** Returns a URL without its trailing slash. Throws a `UsageError` unless it is https or on this machine. */
export function address(text: string | undefined, what: string): string {
  const url = text !== undefined && URL.canParse(text) ? new URL(text) : null;
  const local = url?.protocol === 'http:' && isLoopback(url.href);
  if (!url || (url.protocol !== 'https:' && !local)) {
    throw new UsageError(`An https:// address is needed for ${what}.`);
  }
  if (url.username || url.password) throw new UsageError(`The address for ${what} must not hold a login.`);
  return `${url.origin}${url.pathname.replace(/(?<!\/)\/+$/, '')}`;
}

const Root = v.looseObject({ version: v.optional(v.string()), links: v.record(v.string(), v.string()) });
const PATH = '/1/deploy';
const TIMEOUT_MS = 5_000;

/** Returns what a service says of itself: its version and addresses; null where nothing is said. */
export async function serviceAt(url: string, signal: AbortSignal): Promise<v.InferOutput<typeof Root> | null> {
  try {
    const response = await fetch(`${url}/`, {
      headers: { accept: 'application/json' },
      redirect: 'manual',
      signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
    });
    return printableValue(v.parse(Root, await response.json()));
  } catch {
    return null;
  }
}

/**
 * Returns the address by which others call a service, without a slash at the end: a service on this machine is found
 * by its address here, and knows the one of its proxy.
 */
export async function publicAddress(url: string, signal: AbortSignal): Promise<string> {
  const deploy = isLoopback(url) ? (await serviceAt(url, signal))?.links.deploy : undefined;
  return deploy?.endsWith(PATH) && URL.canParse(deploy) ? deploy.slice(0, -PATH.length) : url;
}
