/** Control characters but tabs, with what follows them in a sequence of a terminal (ECMA-48): colours, titles. */
const CONTROLS = /(?!\t)\p{Cc}(?:\[[0-?]*[ -/]*[@-~]|\][^\p{Cc}]*(?:(?!\t)\p{Cc})?\\?)?/gu;

/** Returns a line without what only a terminal understands. */
export function plainLine(line: string): string {
  return line.replace(CONTROLS, '');
}
