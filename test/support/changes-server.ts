import type { IncomingMessage, ServerResponse } from 'node:http';
import { server } from './api-server.ts';

/** What one connection is given: an answer to be written, and left open unless it is ended. */
export type Script = (response: ServerResponse) => void;

/** A service whose streams follow scripts, one a connection. */
export interface ChangesServer {
  readonly url: string;
  /** The queries of the streams, in their order. */
  readonly queries: URLSearchParams[];
  readonly logins: (string | undefined)[];
}

/**
 * Serves `/1/status/<user>/changes`: the scripts in their order, the last one again and again. What came last (`now`)
 * is `last`; `rows` are those of a page.
 */
export async function changesServer(
  scripts: readonly Script[],
  { last = 0, rows = [] }: { readonly last?: number; readonly rows?: readonly string[] } = {},
): Promise<ChangesServer> {
  const left = [...scripts];
  const queries: URLSearchParams[] = [];
  const logins: (string | undefined)[] = [];
  const url = await server((request: IncomingMessage, response) => {
    const { searchParams } = new URL(request.url ?? '', 'http://service');
    if (searchParams.get('feed') === 'normal') {
      response.setHeader('content-type', 'application/json');
      const after = Number(searchParams.get('since') ?? 0);
      const found = rows.filter((text) => JSON.parse(text).seq > after);
      response.end(`{"results":[\n${found.join(',')}\n],"last_seq":${last}}\n`);
      return;
    }
    queries.push(searchParams);
    logins.push(request.headers.authorization);
    const script = left.length > 1 ? left.shift() : left[0];
    script?.(response);
  });
  return { url, queries, logins };
}

/** A stream of these pieces, which stays open. */
export function open(...pieces: readonly string[]): Script {
  return (response) => {
    response.writeHead(200, { 'content-type': 'application/x-ndjson' });
    response.write(`\n${pieces.join('')}`);
  };
}

/** The same, ended as the service ends it. */
export function ended(...pieces: readonly string[]): Script {
  return (response) => {
    open(...pieces)(response);
    response.end();
  };
}

/** The same, with the connection torn. */
export function cut(...pieces: readonly string[]): Script {
  return (response) => {
    open(...pieces)(response);
    setImmediate(() => response.destroy());
  };
}

export function refused(status: number, problem: object): Script {
  return (response) => {
    response.writeHead(status, { 'content-type': 'application/problem+json' });
    response.end(JSON.stringify(problem));
  };
}

/** The line of a change. */
export function row(seq: number, more: object = {}): string {
  const id = `https://deploy.example.com/1/status/kiwi/changes/${'ab'.repeat(10)}${String(seq).padStart(12, '0')}`;
  const commit = `octo/hello/${'c0ffee12'.repeat(5)}`;
  const fields = { id, app_name: 'hello', uuid: 'u', status: 'running', provider: 'github', commit, seq };
  return `${JSON.stringify({ ...fields, ...more })}\n`;
}
