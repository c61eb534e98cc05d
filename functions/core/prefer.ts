/** The longest wait: API Gateway times out after 29 seconds. */
const MAX_WAIT_SECONDS = 25;

/** Returns the seconds of `Prefer: wait=N` (RFC 7240), at most 25; null without that preference. */
export function preferredWait(header: string | undefined): number | null {
  const wait = header
    ?.split(',')
    .map((preference) => /^\s*wait\s*=\s*"?(\d+)"?\s*(?:;.*)?$/i.exec(preference)?.[1])
    .find((value) => value !== undefined);
  return wait === undefined ? null : Math.min(Number(wait), MAX_WAIT_SECONDS);
}
