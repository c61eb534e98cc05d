import type { OutputName } from './lines.ts';

/** A line of an application's log, as the API sends it. */
export interface LogLine {
  /** The time of reading: RFC 3339, UTC, with milliseconds. */
  readonly at: string;
  /** The origin; `platform` for messages about the application. */
  readonly stream: OutputName | 'platform';
  readonly line: string;
}

/** Returns the line as it stands in the file: time, stream, text. */
export function written({ at, stream, line }: LogLine): string {
  return `${at} ${stream} ${line}`;
}

/** Returns the line for a reader of plain text: time, text, and `platform:` before what the platform says. */
export function plain({ at, stream, line }: LogLine): string {
  return stream === 'platform' ? `${at} platform: ${line}` : `${at} ${line}`;
}

/**
 * Reads a line of the file. Those of earlier versions name no stream, and `platform:` stands before the platform's own.
 */
export function readWritten(text: string): LogLine {
  const [, at = '', stream, line = ''] = /^(\S*) ?(?:(stdout|stderr|platform):? )?(.*)$/s.exec(text) ?? [];
  return { at, stream: stream === 'stderr' || stream === 'platform' ? stream : 'stdout', line };
}
