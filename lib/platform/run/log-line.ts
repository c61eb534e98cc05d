import type { PrintedLine } from '../../../functions/api/shapes/log.ts';

/** Returns the line as it stands in the file: time, stream, text. */
export function written({ at, stream, line }: PrintedLine): string {
  return `${at} ${stream} ${line}`;
}

/** Returns the line for a reader of plain text: time, text, and `platform:` before what the platform says. */
export function plain({ at, stream, line }: PrintedLine): string {
  return stream === 'platform' ? `${at} platform: ${line}` : `${at} ${line}`;
}

/**
 * Reads a line of the file. Those of earlier versions name no stream, and `platform:` stands before the platform's own.
 */
export function readWritten(text: string): PrintedLine {
  const [, at = '', stream, line = ''] = /^(\S*) ?(?:(stdout|stderr|platform):? )?(.*)$/s.exec(text) ?? [];
  return { at, stream: stream === 'stderr' || stream === 'platform' ? stream : 'stdout', line };
}
