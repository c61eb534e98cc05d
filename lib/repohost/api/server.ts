import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { streamArchive } from '../git/archive.ts';
import { findCommit } from '../git/revisions.ts';
import { type Caller, callerOf, visible } from './access.ts';
import type { ServerDependencies } from './dependencies.ts';
import { gitPathOf, serveSmartHttp } from './git-requests.ts';
import { sendJson } from './json.ts';
import { isRestPath, serveRest } from './rest.ts';
import { notFound, RestError } from './rest-error.ts';

interface Exchange {
  readonly url: URL;
  /** Decoded segments of the path. */
  readonly path: readonly string[];
  readonly caller: Caller;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/** Returns the HTTP server of the host: REST API, tarballs, git over HTTP, and a page for each repository. */
export function repoHostServer(deps: ServerDependencies): Server {
  return createServer((request, response) => {
    response.on('error', () => {});
    handle(deps, request, response).catch((error: unknown) => answerError(deps, { request, response }, error));
  });
}

async function handle(deps: ServerDependencies, request: IncomingMessage, response: ServerResponse): Promise<void> {
  checkHost(request.headers.host);
  const url = new URL(request.url ?? '/', 'http://host.invalid');
  const path = segments(url.pathname);
  const caller = await callerOf(request.headers.authorization, deps.logins);
  const exchange = { url, path, caller, request, response };
  if (isRestPath(path)) {
    setRateLimit(response, caller);
    return serveRest(deps, { ...exchange, query: url.searchParams });
  }
  if (path[0] === '_codeload') return serveArchive(deps, exchange);
  const gitPath = gitPathOf(path);
  if (gitPath !== null) return serveSmartHttp(deps, gitPath, exchange);
  return servePage(deps, exchange);
}

/** Accepts only host names of this machine, against DNS rebinding by a web page. */
function checkHost(host: string | undefined): void {
  if (!/^(?:127\.0\.0\.1|localhost|\[::1\])(?::\d+)?$/.test(host ?? ''))
    throw new RestError(421, 'Misdirected Request');
}

function segments(pathname: string): string[] {
  try {
    return pathname.split('/').slice(1).map(decodeURIComponent);
  } catch {
    throw notFound();
  }
}

/** Sets the headers that clients expect; no rate limit is enforced. */
function setRateLimit(response: ServerResponse, caller: Caller): void {
  const limit = caller.kind === 'anonymous' ? 60 : 5000;
  response.setHeader('x-ratelimit-limit', limit);
  response.setHeader('x-ratelimit-remaining', limit - 1);
  response.setHeader('x-ratelimit-reset', Math.floor(Date.now() / 1000) + 3600);
}

async function serveArchive(deps: ServerDependencies, { path, url, response }: Exchange): Promise<void> {
  const [, owner = '', name = '', , sha = ''] = path;
  const repository = deps.repositories.find({ owner, name });
  if (repository === null || !deps.links.isGenuine({ owner, name, sha }, url.searchParams)) throw notFound();
  const bare = { git: deps.git, folder: repository.folder };
  if ((await findCommit(bare, sha)) !== sha) throw notFound();
  await streamArchive(bare, { owner, name, sha }, response);
}

/** Serves the page of a repository, which payloads and statuses link to. */
async function servePage(deps: ServerDependencies, { path, caller, response }: Exchange): Promise<void> {
  const [owner = '', name = ''] = path;
  const repository = visible(deps.repositories, caller, { owner, name });
  const lines = [
    `${owner}/${name}`,
    '',
    `git clone ${deps.url()}/${owner}/${name}.git`,
    `git clone ${repository.folder}`,
    '',
  ];
  response.writeHead(200, { 'content-type': 'text/plain; charset=utf-8' }).end(lines.join('\n'));
}

function answerError(
  deps: ServerDependencies,
  { request, response }: { readonly request: IncomingMessage; readonly response: ServerResponse },
  error: unknown,
): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  if (!(error instanceof RestError)) {
    deps.log(`The repository host failed: ${error instanceof Error ? error.message : String(error)}`);
    sendJson(response, 500, { message: 'Server Error' });
    return;
  }
  for (const [name, value] of Object.entries(error.headers)) response.setHeader(name, value);
  if (isGit(request)) sendText(response, error);
  else sendJson(response, error.status, { message: error.message, documentation_url: 'https://docs.github.com/rest' });
}

function isGit(request: IncomingMessage): boolean {
  return request.headers['user-agent']?.startsWith('git/') === true;
}

/** Git shows the text of an error to its user, with `remote:` before each line, if it is plain text. */
function sendText(response: ServerResponse, { status, message }: RestError): void {
  response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8' }).end(`${message}\n`);
}
