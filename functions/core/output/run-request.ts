import type { RunInput, RunStart } from '../../api/shapes/runs.ts';
import { isObject } from '../json.ts';

/** The terminal of a one-off command: its size in characters, and its type for the variable `TERM`. */
export type RunTerminal = NonNullable<RunStart['terminal']>;

/** The signals that may be sent to one. */
export const RUN_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT', 'SIGKILL'] as const;

const TERMINAL = '{"columns": 80, "rows": 24, "type": "xterm-256color"}';
/** The sentences that refuse a request. */
export const START_FORM = `Send JSON like {"command": ["node", "scripts/seed.js"], "terminal": ${TERMINAL}}.`;
export const INPUT_FORM = `Send JSON like {"data": "<base64>", "end": true, "signal": "SIGINT", "terminal": ${TERMINAL}}.`;

const MOST_WORDS = 1_000;
const MOST_CHARACTERS = 10_000;
const TYPE = /^[\w.+-]{1,64}$/;

type Fields = Readonly<Record<string, unknown>>;

/** Returns the command that a request asks for, or null when there can be none like that. */
export function runStartIn({ command, terminal }: Fields): RunStart | null {
  const words: readonly unknown[] = Array.isArray(command) ? command : [];
  const size = terminalIn(terminal);
  if (words.length === 0 || words.length > MOST_WORDS || words[0] === '') return null;
  if (!words.every(isWord) || size === null) return null;
  return { command: words, ...(size && { terminal: size }) };
}

/** Returns the input or the signal of a request, or null when there can be none like that. */
export function runInputIn({ data, end, signal, terminal }: Fields): RunInput | null {
  const known = RUN_SIGNALS.find((one) => one === signal);
  const size = terminalIn(terminal);
  if (data !== undefined && typeof data !== 'string') return null;
  if (end !== undefined && typeof end !== 'boolean') return null;
  if ((signal !== undefined && !known) || size === null) return null;
  const input = { ...(data !== undefined && { data }), ...(end !== undefined && { end }) };
  return { ...input, ...(known && { signal: known }), ...(size && { terminal: size }) };
}

function isWord(word: unknown): word is string {
  return typeof word === 'string' && !word.includes('\0');
}

/** Returns the terminal; undefined when none is asked for, null when there can be none like that. */
function terminalIn(value: unknown): RunTerminal | null | undefined {
  if (value === undefined) return undefined;
  if (!isObject(value)) return null;
  const { columns, rows, type } = value;
  if (!isSize(columns) || !isSize(rows)) return null;
  if (type === undefined) return { columns, rows };
  return typeof type === 'string' && TYPE.test(type) ? { columns, rows, type } : null;
}

function isSize(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= MOST_CHARACTERS;
}
