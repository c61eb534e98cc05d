import type { Readable } from 'node:stream';

/** One line that a function printed, unchanged. */
export interface FunctionLogLine {
  readonly functionName: string;
  readonly stream: 'stdout' | 'stderr';
  readonly text: string;
}

// A line without an end must not grow without limit.
const MAX_LINE_LENGTH = 256 * 1024;

/** Calls `line` for every line of a stream, without its line end; splits long lines and skips empty ones. */
export function eachLine(stream: Readable, line: (text: string) => void): void {
  let rest = '';
  stream.setEncoding('utf8');
  stream.on('data', (chunk: string) => {
    const lines = (rest + chunk).split(/\r?\n/);
    rest = lines.pop() ?? '';
    if (rest.length > MAX_LINE_LENGTH) lines.push(rest);
    if (rest.length > MAX_LINE_LENGTH) rest = '';
    for (const text of lines) if (text !== '') line(text);
  });
  stream.on('end', () => {
    if (rest !== '') line(rest);
  });
}
