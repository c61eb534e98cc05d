import { stripVTControlCharacters, styleText } from 'node:util';
import type { CommandContext } from './command.ts';

/** A colour of `styleText`. */
export type Colour = 'green' | 'red' | 'yellow' | 'cyan' | 'dim' | 'bold';

/** Colours a string, or returns it unchanged. */
export type Paint = (colour: Colour, text: string) => string;

/**
 * Returns a function that colours text for the output: on a terminal, unless NO_COLOR is set (https://no-color.org).
 */
export function painter({ stdout, env }: Pick<CommandContext, 'stdout' | 'env'>): Paint {
  const colours = stdout.isTTY === true && !env.NO_COLOR;
  return (colour, text) => (colours ? styleText(colour, text, { validateStream: false }) : text);
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

/** Returns a time of this machine's clock, with its date. */
export function when(time: Date): string {
  const two = (value: number) => String(value).padStart(2, '0');
  const day = [time.getFullYear(), two(time.getMonth() + 1), two(time.getDate())].join('-');
  return `${day} ${time.toTimeString().slice(0, 8)}`;
}

/** Returns a size with its unit. */
export function megabytes(bytes: number): string {
  return bytes > 0 && bytes < 50_000 ? `${Math.ceil(bytes / 1000)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
}
