import validRange from 'semver/ranges/valid.js';

/** Far more than anyone writes. Reading a range of 64 KiB takes half a second, and comparing two of them minutes. */
const MAX_LENGTH = 256;

/** Whether a text is a range of versions as npm reads it, of at most 256 characters. */
export function isVersionRange(text: string): boolean {
  return text.length <= MAX_LENGTH && validRange(text) !== null;
}
