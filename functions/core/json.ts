import { exceededLimit } from './payload/json-limits.ts';
import { encodingProblem } from './text.ts';

/** The value of a JSON document, or what is wrong with it, as the end of a sentence that never quotes it. */
type JsonResult = { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly problem: string };

/** Returns the value of a JSON document from outside. Linear time, constant stack depth. */
export function parseJson(text: string): JsonResult {
  const exceeded = exceededLimit(text);
  if (exceeded !== null) return { ok: false, problem: exceeded };
  try {
    return { ok: true, value: JSON.parse(text) };
  } catch {
    // The message of JSON.parse quotes the document, which may contain a secret.
    return { ok: false, problem: encodingProblem(text) ?? 'is not valid JSON' };
  }
}

/** Whether a parsed value is a JSON object: neither null nor a list. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns the line and the column, both from 1, of an offset in a string. */
export function lineAndColumn(text: string, offset: number): { readonly line: number; readonly column: number } {
  const before = text.slice(0, offset).split('\n');
  return { line: before.length, column: (before.at(-1) ?? '').length + 1 };
}
