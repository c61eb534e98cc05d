// Control characters could change a terminal or a log; direction marks could reverse the text there
// (https://trojansource.codes). A lone surrogate is not valid Unicode, and databases refuse it.
const unsafe = /[\s\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]+/gu;
const marks = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/gu;
const loneSurrogate = /\p{Cs}/gu;
const lineEnd = /[\r\n\u0085\u2028\u2029]/u;

/**
 * Returns the first line of a string from outside, safe to store and show: without control characters and direction
 * marks, at most `max` characters, the last one `…` when it was cut. Null when nothing is left.
 */
export function oneLine(text: string, max: number): string | null {
  // More than `max`, because characters are removed; the rest of a long string is not processed.
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

/** Returns text with its direction marks as `\u202e`, so that two branches that look alike do not read alike. */
export function withVisibleMarks(text: string): string {
  return text.replace(marks, (mark) => `\\u${mark.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/**
 * Returns why a text that was read as UTF-8 is none, as the end of a sentence that begins with the file; null for UTF-8.
 * Windows PowerShell writes UTF-16.
 */
export function encodingProblem(text: string): string | null {
  return text.includes('\0') ? 'is UTF-16, or not a text file; save it as UTF-8' : null;
}
