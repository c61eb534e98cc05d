import { createHash } from 'node:crypto';

/**
 * Returns a UUID that is derived from a string: equal strings have equal UUIDs. It has the version for own ways
 * of making one: https://www.rfc-editor.org/rfc/rfc9562#section-5.8
 */
export function derivedUuid(text: string): string {
  const digits = createHash('sha256').update(text).digest('hex');
  const parts = [digits.slice(0, 8), digits.slice(8, 12), `8${digits.slice(13, 16)}`, `8${digits.slice(17, 20)}`];
  return [...parts, digits.slice(20, 32)].join('-');
}
