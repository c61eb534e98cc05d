// Control characters would let a payload write to a terminal or a log line; the direction marks let it read backwards
// there (https://trojansource.codes). A lone surrogate is no text at all and is refused by stores.
const unsafe = /[\s\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]+/gu;
const loneSurrogate = /\p{Cs}/gu;
const lineEnd = /[\r\n\u0085\u2028\u2029]/u;

/**
 * The first line of a text that someone else wrote, fit to be stored and shown: without control characters and
 * direction marks, at most `max` characters, the last one `…` when it was cut. Null when nothing is left.
 */
export function oneLine(text: string, max: number): string | null {
  // Some slack for what goes; the rest of a megabyte is never looked at.
  const [line = ''] = text
    .trimStart()
    .slice(0, max * 5)
    .split(lineEnd, 1);
  const clean = line.replace(unsafe, ' ').replace(loneSurrogate, '\ufffd').trim();
  const characters = Array.from(clean);
  if (characters.length <= max) return clean === '' ? null : clean;
  return `${characters
    .slice(0, max - 1)
    .join('')
    .trimEnd()}…`;
}
