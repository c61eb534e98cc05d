import { stripVTControlCharacters } from 'node:util';

/** Returns what tells the texts that have this one, whatever its case, and the colours that are printed within it. */
export function hasText(wanted: string): (text: string) => boolean {
  const lowerCase = wanted.toLowerCase();
  return (text) => (text.includes('\u001b') ? stripVTControlCharacters(text) : text).toLowerCase().includes(lowerCase);
}
