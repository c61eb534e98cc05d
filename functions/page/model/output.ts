/** A line of an application's or a build's output. */
export interface OutputLine {
  readonly at: string;
  readonly stream: string;
  readonly line: string;
}

/** The last line of a stream that the service ends. */
export interface Ending {
  readonly code: string;
}

/** Parses a line of a stream of JSON objects; null for a heartbeat and for other lines. */
export function readLine(text: string): OutputLine | Ending | null {
  if (text.trim() === '') return null;
  try {
    const value = JSON.parse(text);
    if (typeof value?.line === 'string' && typeof value.at === 'string') return value;
    return typeof value?.code === 'string' ? value : null;
  } catch {
    return null;
  }
}

/** Control characters but tabs, with what follows them in a sequence of a terminal (ECMA-48): colours, titles. */
const CONTROLS = /(?!\t)\p{Cc}(?:\[[0-?]*[ -/]*[@-~]|\][^\p{Cc}]*(?:(?!\t)\p{Cc})?\\?)?/gu;

/** Returns a line without what only a terminal understands. */
export function plainLine(line: string): string {
  return line.replace(CONTROLS, '');
}

/** Tells which lines of a stream are new, when a stream is taken up again: several lines may have the same time. */
export class Seen {
  #at = '';
  #count = 0;
  #toSkip = 0;

  isNew({ at }: OutputLine): boolean {
    if (at < this.#at) return false;
    if (at === this.#at && this.#toSkip > 0) {
      this.#toSkip -= 1;
      return false;
    }
    this.#count = at === this.#at ? this.#count + 1 : 1;
    this.#at = at;
    return true;
  }

  /** The stream begins again, with lines that were seen. */
  again(): void {
    this.#toSkip = this.#count;
  }
}
