import type { PrintedLine, SearchEnd } from '../../functions/api/shapes/log.ts';
import { jsonIn } from '../../functions/core/json-value.ts';
import type { ApiRequest, Client } from './client.ts';
import { fieldsOf } from './lines.ts';
import { readLine } from './output.ts';

export interface Found extends SearchEnd {
  /** Newest first. */
  readonly lines: readonly PrintedLine[];
}

/**
 * Searches the stored output of an application. One call looks at so much; the next one goes on with `before` set to the `next` of
 * its result.
 */
export async function searchOutput(client: Pick<Client, 'lines'>, request: ApiRequest): Promise<Found> {
  const lines: PrintedLine[] = [];
  let code = 'no result';
  for await (const text of client.lines(request)) {
    const { searched, next } = fieldsOf(jsonIn(text));
    if (searched) {
      const { since, until } = fieldsOf(searched);
      return { lines, searched: { since: textOrNull(since), until: textOrNull(until) }, next: textOrNull(next) };
    }
    const line = readLine(text);
    if (line && 'code' in line) code = line.code;
    else if (line) lines.push(line);
  }
  throw new Error(`The service ended the search with ${code}: is it of another version?`);
}

function textOrNull(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}
