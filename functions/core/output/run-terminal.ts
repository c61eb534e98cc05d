import type { RunStart } from '../../api/shapes/runs.ts';
import { isObject } from '../json.ts';

/** The terminal of a one-off command: its size in characters, and its type for the variable `TERM`. */
export type RunTerminal = NonNullable<RunStart['terminal']>;

/** What a request has to look like, for the sentence that refuses another one. */
export const TERMINAL_FORM = '{"columns": 80, "rows": 24, "type": "xterm-256color"}';

const MOST_CHARACTERS = 10_000;
const TYPE = /^[\w.+-]{1,64}$/;

/** Returns the terminal that a request asks for, or null when there can be none like that. */
export function runTerminalIn(value: unknown): RunTerminal | null {
  if (!isObject(value)) return null;
  const { columns, rows, type } = value;
  if (!isSize(columns) || !isSize(rows)) return null;
  if (type === undefined) return { columns, rows };
  return typeof type === 'string' && TYPE.test(type) ? { columns, rows, type } : null;
}

function isSize(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= MOST_CHARACTERS;
}
