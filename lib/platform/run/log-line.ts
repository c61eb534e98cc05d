import type { PrintedLine } from '../../../functions/api/shapes/log.ts';

/** Returns the line as it stands in the file: time, stream with the process after a slash, text. */
export function written({ at, stream, process, line }: PrintedLine): string {
  return `${at} ${stream}${process === undefined ? '' : `/${process}`} ${line}`;
}

/** Returns the line for a reader of plain text: time, who printed it unless that is `web`, text. */
export function plain({ at, stream, process, line }: PrintedLine): string {
  const who = [...(stream === 'platform' ? ['platform'] : []), ...(process === undefined ? [] : [process])];
  return `${at} ${who.length === 0 ? '' : `${who.join(' ')}: `}${line}`;
}

/**
 * Reads a line of the file. Those of earlier versions name no stream, and `platform:` stands before the platform's own.
 */
export function readWritten(text: string): PrintedLine {
  const [, at = '', stream, process, line = ''] =
    /^(\S*) ?(?:(stdout|stderr|platform)(?:\/([\w-]+(?:\.\d+)?))?:? )?(.*)$/s.exec(text) ?? [];
  const known = stream === 'stderr' || stream === 'platform' ? stream : 'stdout';
  return { at, stream: known, ...(process !== undefined && { process }), line };
}
