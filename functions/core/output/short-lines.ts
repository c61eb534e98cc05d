/** The characters of a line of output that are read and shown: a program may print millions without a line end. */
export const MAX_LINE_CHARACTERS = 2_000;
const MAX_LINES = 1_000;

/** Returns the last lines of an output, each cut, so that what searches them ends soon whatever a program prints. */
export function shortLines(lines: readonly string[]): readonly string[] {
  return lines.slice(-MAX_LINES).map((line) => line.slice(0, MAX_LINE_CHARACTERS));
}
