import { stripVTControlCharacters } from 'node:util';

// Direction marks show a text in another order than it has (https://trojansource.codes).
const marks = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;
const unprintable = /[\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

/** Returns text from outside on one line, so that it can neither move the cursor, end the line nor turn its order. */
export function printable(text: string): string {
  return stripVTControlCharacters(text)
    .replace(marks, '')
    .replace(/\p{Cc}+/gu, ' ');
}

/** Returns a line of a program's output as `printable`; tabs stay. */
export function printableLine(line: string): string {
  return line.split('\t').map(printable).join('\t');
}

/** Returns a value of JSON with all its texts, and the names of its fields, as `printable`. */
export function printableValue<Value>(value: Value): Value;
export function printableValue(value: unknown): unknown {
  if (typeof value === 'string') return printable(value);
  if (Array.isArray(value)) return value.map((one) => printableValue(one));
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value).map(([name, one]) => [printable(name), printableValue(one)] as const);
  return Object.fromEntries(fields);
}

/** Returns text, of any number of lines, with the characters that `printable` removes as `\u202e`. */
export function escaped(text: string): string {
  return text.replace(unprintable, (one) => (one === '\n' ? one : codeOf(one)));
}

/** Returns JSON on one line, with the characters that `printable` removes as `\u202e`: the value is the same. */
export function printableJson(value: unknown): string {
  return JSON.stringify(value).replace(unprintable, codeOf);
}

function codeOf(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
