/** The longest wait: the gateway gives up after 29 seconds. */
const MAX_WAIT_SECONDS = 25;

/** The seconds that `Prefer: wait=N` asks for, at most 25; null when it does not ask (RFC 7240). */
export function preferredWait(header: string | undefined): number | null {
  const wait = header
    ?.split(',')
    .map((preference) => /^\s*wait\s*=\s*"?(\d+)"?\s*(?:;.*)?$/i.exec(preference)?.[1])
    .find((value) => value !== undefined);
  return wait === undefined ? null : Math.min(Number(wait), MAX_WAIT_SECONDS);
}
