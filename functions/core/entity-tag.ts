import { createHash } from 'node:crypto';

export function entityTag(body: string | Uint8Array): string {
  return `"${createHash('sha256').update(body).digest('hex').slice(0, 32)}"`;
}

/**
 * Returns whether `If-None-Match` names the tag, so that its client needs no body. Weak tags are equal to strong ones,
 * since proxies that compress weaken them: https://www.rfc-editor.org/rfc/rfc9110#section-13.1.2
 */
export function hasTag(ifNoneMatch: string | undefined, tag: string): boolean {
  const tags = ifNoneMatch?.split(',').map((one) => one.trim().replace(/^W\//, '')) ?? [];
  return tags.includes('*') || tags.includes(tag);
}
