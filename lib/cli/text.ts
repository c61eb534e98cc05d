import { stripVTControlCharacters } from 'node:util';
import { type Colour, type Paint, painter } from '../terminal/draw.ts';
import { type Call, EXIT } from './command.ts';

const STATE_COLOURS: ReadonlyMap<string, Colour> = new Map([
  ['running', 'green'],
  ['crashed', 'red'],
  ['starting', 'cyan'],
  ['restarting', 'yellow'],
  ['stopped', 'yellow'],
]);

const STATUS_COLOURS: ReadonlyMap<string, Colour> = new Map([
  ['ok', 'green'],
  ['error', 'red'],
  ['crashed', 'red'],
  ['expired', 'red'],
  ['held', 'yellow'],
  ['queued', 'cyan'],
  ['running', 'cyan'],
]);

/** Returns the status of an entry in its colour. */
export function paintStatus(status: string, paint: Paint): string {
  return paint(STATUS_COLOURS.get(status) ?? 'dim', status);
}

/** Returns the state of an application or a process in its colour. */
export function paintState(state: string, paint: Paint): string {
  return paint(STATE_COLOURS.get(state) ?? 'dim', state);
}

/** Returns lines whose cells begin at the same columns. The last cell of a row is not padded. */
export function columns(rows: readonly (readonly string[])[]): string[] {
  const widths: number[] = [];
  for (const row of rows) {
    row.forEach((cell, at) => {
      widths[at] = Math.max(widths[at] ?? 0, width(cell));
    });
  }
  return rows.map((row) =>
    row
      .map((cell, at) => cell + ' '.repeat((widths[at] ?? 0) - width(cell)))
      .join('  ')
      .trimEnd(),
  );
}

function width(cell: string): number {
  return stripVTControlCharacters(cell).length;
}

interface Listed<T> {
  readonly rows: readonly T[];
  readonly cells: (row: T, paint: Paint) => readonly string[];
  /** The lines for `--json`. */
  readonly json: readonly string[];
  /** The sentence for a list without rows. */
  readonly none?: string;
}

/** Prints a line for each row. */
export function printList<T>(call: Call, { rows, cells, json, none }: Listed<T>): number {
  const paint = painter(call.stdout, call.env);
  const lines = call.args.flag('json') ? json : columns(rows.map((row) => cells(row, paint)));
  for (const line of lines) call.print(line);
  if (rows.length === 0 && none !== undefined) call.warn(none);
  return EXIT.ok;
}

/** Returns an amount of disk in bytes: `42 kB`, `1.4 MB`, `5 GB`. */
export function sizeText(bytes: number): string {
  if (bytes > 0 && bytes < 50_000) return `${Math.ceil(bytes / 1000)} kB`;
  return bytes < 1e9 ? `${(bytes / 1e6).toFixed(1)} MB` : `${Number((bytes / 1e9).toFixed(1))} GB`;
}
