import { findExcess } from './payload/json-excess.ts';
import { findFault } from './payload/json-fault.ts';

/** What became of a JSON text: its value, or why it is none and where. Never holds a piece of the text. */
export type JsonResult =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly problem: string; readonly offset: number };

/** Parses a JSON text from outside; `offset` counts UTF-16 units from 0. Linear in time, constant in stack. */
export function parseJson(text: string): JsonResult {
  const excess = findExcess(text);
  if (excess !== null) return { ok: false, ...excess };
  try {
    return { ok: true, value: JSON.parse(text) };
  } catch {
    // The engine's message quotes the text, which may hold a secret, and mostly lacks the position.
    return { ok: false, ...findFault(text) };
  }
}

/** Whether a parsed value is a JSON object: neither null nor a list. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Line and column, both from 1, of an offset in a text. */
export function lineAndColumn(text: string, offset: number): { readonly line: number; readonly column: number } {
  const before = text.slice(0, offset).split('\n');
  return { line: before.length, column: (before.at(-1) ?? '').length + 1 };
}
