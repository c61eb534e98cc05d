import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import type { GitBackend } from './backend.ts';

/** The variable with the number of the hooks' file descriptor, a socket of the host that ends with the connection. */
export const LIFELINE_VARIABLE = 'REPOHOST_LIFELINE';

/** A request of `git clone`, `fetch` or `push`. */
interface GitRequest {
  /** Path of a repository below the folder, and the service: `/repositories/owner/name.git/info/refs`. */
  readonly path: string;
  readonly query: string;
  /** The authenticated user; null is read-only access. */
  readonly user: string | null;
  /** Takes the other end of file descriptor 3 of the hooks, and closes it. `gone`: the response has ended. */
  readonly attend?: (hook: { readonly channel: Socket; readonly gone: AbortSignal }) => void;
}

/**
 * Whether a path is a service of the smart protocol (https://git-scm.com/docs/http-protocol). No other path is served.
 */
export function isGitService(path: string): boolean {
  return path === 'info/refs' || path === 'git-upload-pack' || path === 'git-receive-pack';
}

export function isPush(path: string, query: URLSearchParams): boolean {
  return path === 'git-receive-pack' || query.get('service') === 'git-receive-pack';
}

/**
 * Serves a request with git's own CGI program (https://git-scm.com/docs/git-http-backend). `folder` holds the
 * repositories. When the client has gone, a clone is ended. A push gets the end of its input instead, at which git ends
 * unless it has all of it: what it has taken must reach the hook.
 */
export async function serveGit(
  { backend, folder }: { readonly backend: GitBackend; readonly folder: string },
  gitRequest: GitRequest,
  exchange: { readonly request: IncomingMessage; readonly response: ServerResponse },
): Promise<void> {
  const { request, response } = exchange;
  const environment = { ...cgiEnvironment(folder, gitRequest, request), [LIFELINE_VARIABLE]: '3' };
  const { child, ended, end } = backend.start(environment);
  child.stderr.resume();
  child.stdin.on('error', () => {});
  request.pipe(child.stdin);
  request.once('close', () => child.stdin.end());
  // When the client disconnects, git must not block for ever on a full pipe, and a hook that only waits has to know.
  const gone = new AbortController();
  response.once('close', () => {
    child.stdout.destroy();
    gone.abort();
    if (!gitRequest.attend) end();
  });
  const channel = child.stdio[3] as Socket | undefined;
  channel?.on('error', () => {});
  if (channel && gitRequest.attend) gitRequest.attend({ channel, gone: gone.signal });
  else gone.signal.addEventListener('abort', () => channel?.destroy());
  const head = await readHead(child.stdout);
  if (head === null) response.writeHead(500).end();
  else {
    response.writeHead(head.status, head.headers);
    response.write(head.rest);
    child.stdout.pipe(response);
  }
  await ended;
}

/** Without the length of the request: git would read for ever what is cut off before that, instead of to its end. */
function cgiEnvironment(root: string, gitRequest: GitRequest, request: IncomingMessage): Record<string, string> {
  const { headers } = request;
  return {
    GIT_PROJECT_ROOT: root,
    GIT_HTTP_EXPORT_ALL: '1',
    PATH_INFO: gitRequest.path,
    QUERY_STRING: gitRequest.query,
    REQUEST_METHOD: request.method ?? 'GET',
    REMOTE_ADDR: request.socket.remoteAddress ?? '',
    CONTENT_TYPE: headers['content-type'] ?? '',
    ...(headers['content-encoding'] === undefined ? {} : { HTTP_CONTENT_ENCODING: headers['content-encoding'] }),
    ...(typeof headers['git-protocol'] === 'string' ? { GIT_PROTOCOL: headers['git-protocol'] } : {}),
    // git-http-backend allows a push only with a REMOTE_USER.
    ...(gitRequest.user === null ? {} : { REMOTE_USER: gitRequest.user }),
  };
}

interface CgiHead {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** The beginning of the body, which was read together with the head. */
  readonly rest: Buffer;
}

/**
 * Returns the head of a CGI response (https://www.rfc-editor.org/rfc/rfc3875#section-6), or null when there is none.
 */
async function readHead(output: Readable): Promise<CgiHead | null> {
  let buffer = Buffer.alloc(0);
  while (true) {
    const end = buffer.indexOf('\r\n\r\n');
    if (end >= 0) return { ...parseHead(buffer.subarray(0, end).toString('latin1')), rest: buffer.subarray(end + 4) };
    const chunk: Buffer | null = output.read();
    if (chunk !== null) buffer = Buffer.concat([buffer, chunk]);
    else if (output.readableEnded || output.destroyed) return null;
    else await Promise.race([once(output, 'readable'), once(output, 'end'), once(output, 'close')]);
  }
}

function parseHead(text: string): Omit<CgiHead, 'rest'> {
  const fields = text.split('\r\n').map((line): [string, string] => {
    const colon = line.indexOf(':');
    return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
  });
  const { status = '200', ...headers } = Object.fromEntries(fields);
  return { status: Number.parseInt(status, 10), headers };
}
