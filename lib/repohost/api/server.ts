import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { pipeOutput } from '../git/git.ts';
import { callerOf, visible } from './access.ts';
import { answerApi, answerOf, isApiPath, refusalOf, segments } from './answer.ts';
import type { ServerDependencies } from './dependencies.ts';
import { gitPathOf, serveSmartHttp } from './git-requests.ts';
import { type RestAnswer, RestError } from './rest-answer.ts';

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/** Returns the HTTP server of the host: REST API, tarballs, git over HTTP, and a page for each repository. */
export function repoHostServer(deps: ServerDependencies): Server {
  return createServer((request, response) => {
    response.on('error', () => {});
    handle(deps, { request, response }).catch((error: unknown) => sendError(deps, { request, response }, error));
  });
}

async function handle(deps: ServerDependencies, { request, response }: Exchange): Promise<void> {
  const { method = '', headers } = request;
  checkHost(headers.host);
  const url = new URL(request.url ?? '/', 'http://host.invalid');
  const path = segments(url);
  const { authorization, accept = '' } = headers;
  if (isApiPath(path)) {
    return send(response, await answerApi(deps, { method, url, authorization, accept, body: request }));
  }
  const caller = await callerOf(authorization, deps.logins);
  const exchange = { url, path, caller, request, response };
  const gitPath = gitPathOf(path);
  if (gitPath !== null) return serveSmartHttp(deps, gitPath, exchange);
  return send(response, pageOf(deps, exchange));
}

/** Accepts only host names of this machine, against DNS rebinding by a web page. */
function checkHost(host: string | undefined): void {
  if (!/^(?:127\.0\.0\.1|localhost|\[::1\])(?::\d+)?$/.test(host ?? ''))
    throw new RestError(421, 'Misdirected Request');
}

async function send(response: ServerResponse, { status, headers, body }: RestAnswer): Promise<void> {
  response.writeHead(status, headers);
  if (typeof body === 'string') response.end(body);
  else await pipeOutput(body, response);
}

/** Returns the page of a repository, which payloads and statuses link to. */
function pageOf(
  deps: ServerDependencies,
  { path, caller }: { readonly path: readonly string[]; readonly caller: Parameters<typeof visible>[1] },
): RestAnswer {
  const [owner = '', name = ''] = path;
  const repository = visible(deps.repositories, caller, { owner, name });
  const lines = [
    `${owner}/${name}`,
    '',
    `git clone ${deps.url()}/${owner}/${name}.git`,
    `git clone ${repository.folder}`,
    '',
  ];
  return { status: 200, headers: { 'content-type': 'text/plain; charset=utf-8' }, body: lines.join('\n') };
}

async function sendError(deps: ServerDependencies, { request, response }: Exchange, error: unknown): Promise<void> {
  if (response.headersSent) return void response.destroy();
  const refusal = refusalOf(error, deps);
  if (!isGit(request)) return send(response, answerOf(refusal));
  return send(response, isFailedPush(request, refusal) ? inBand(refusal) : asText(refusal));
}

function isGit(request: IncomingMessage): boolean {
  return request.headers['user-agent']?.startsWith('git/') === true;
}

function isFailedPush({ url = '' }: IncomingMessage, { status }: RestError): boolean {
  return url.endsWith('/git-receive-pack') && status >= 500;
}

/**
 * Of the answer to a push git shows the error of the third sideband
 * (https://git-scm.com/docs/protocol-capabilities#_side_band_side_band_64k), and nothing of one with another status.
 */
function inBand({ message }: RestError): RestAnswer {
  const line = `\x03${message}\n`;
  const length = (Buffer.byteLength(line) + 4).toString(16).padStart(4, '0');
  return { status: 200, headers: { 'content-type': 'application/x-git-receive-pack-result' }, body: length + line };
}

/** Git shows the text of an error to its user, with `remote:` before each line, if it is plain text. */
function asText({ status, message, headers }: RestError): RestAnswer {
  return { status, headers: { ...headers, 'content-type': 'text/plain; charset=utf-8' }, body: `${message}\n` };
}
