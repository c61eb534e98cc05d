import { createHash } from 'node:crypto';

/** The sender's own id of a delivery, from the first of its headers that holds one; null when none does. */
export function deliveryId(...headers: readonly (string | undefined)[]): string | null {
  return headers.find((header) => header !== undefined && /^[\w-]{1,128}$/.test(header)) ?? null;
}

/** An id for what has none of its own, from the facts that make it another one: the same facts, the same id. */
export function factsId(kind: string, facts: readonly (string | number | null)[]): string {
  return `${kind}-${createHash('sha256').update(JSON.stringify(facts)).digest('hex').slice(0, 32)}`;
}
