import { createHash } from 'node:crypto';

/** Returns the first value that is a valid delivery id of a sender; null when none is. */
export function deliveryId(...headers: readonly (string | undefined)[]): string | null {
  return headers.find((header) => header !== undefined && /^[\w-]{1,128}$/.test(header)) ?? null;
}

/** Returns a delivery id derived from facts, for senders without delivery ids: equal facts have equal ids. */
export function factsId(kind: string, facts: readonly (string | number | null)[]): string {
  return `${kind}-${createHash('sha256').update(JSON.stringify(facts)).digest('hex').slice(0, 32)}`;
}
