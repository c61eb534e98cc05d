import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { streamArchive } from '../git/archive.ts';
import { findCommit } from '../git/revisions.ts';
import { isGitService, isPush, serveGit } from '../git/smart-http.ts';
import type { RunningHost } from '../running.ts';
import type { Folders } from '../store/folders.ts';
import type { Tokens } from '../store/tokens.ts';
import { type Caller, callerOf, challenge, checkTrusted, visible } from './access.ts';
import { isRestPath, type RestParts, sendJson, serveRest } from './rest.ts';
import { notFound, RestError } from './rest-error.ts';

export interface ServerParts extends RestParts {
  readonly folders: Folders;
  readonly tokens: Tokens;
  readonly webhook: RunningHost['webhook'];
  readonly log: (line: string) => void;
}

interface Visit {
  readonly url: URL;
  /** Decoded segments of the path. */
  readonly path: readonly string[];
  readonly caller: Caller;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/** The host's one HTTP server: the REST API, the tarballs behind its links, git itself, and a page. */
export function repoHostServer(parts: ServerParts): Server {
  return createServer((request, response) => {
    response.on('error', () => {});
    handle(parts, request, response).catch((error: unknown) => answerError(parts, response, error));
  });
}

async function handle(parts: ServerParts, request: IncomingMessage, response: ServerResponse): Promise<void> {
  checkHost(request.headers.host);
  const url = new URL(request.url ?? '/', 'http://host.invalid');
  const path = segments(url.pathname);
  const caller = callerOf(request.headers.authorization, parts.tokens, parts.webhook);
  const visit = { url, path, caller, request, response };
  if (isRestPath(path)) {
    setRateLimit(response, caller);
    return serveRest(parts, { ...visit, query: url.searchParams });
  }
  if (path[0] === '_codeload') return serveArchive(parts, visit);
  if (path[1]?.endsWith('.git')) return serveSmartHttp(parts, visit);
  return servePage(parts, visit);
}

/** Only names of this machine: a page in a browser must not get here by a name of its own (DNS rebinding). */
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

/** The headers that clients look at; nothing is limited here. */
function setRateLimit(response: ServerResponse, caller: Caller): void {
  const limit = caller.kind === 'anybody' ? 60 : 5000;
  response.setHeader('x-ratelimit-limit', limit);
  response.setHeader('x-ratelimit-remaining', limit - 1);
  response.setHeader('x-ratelimit-reset', Math.floor(Date.now() / 1000) + 3600);
}

async function serveArchive(parts: ServerParts, { path, url, response }: Visit): Promise<void> {
  const [, owner = '', name = '', , sha = ''] = path;
  const repository = parts.repositories.find({ owner, name });
  if (repository === null || !parts.links.isGenuine({ owner, name, sha }, url.searchParams)) throw notFound();
  if ((await findCommit(parts.git, repository.folder, sha)) !== sha) throw notFound();
  await streamArchive(parts.git, repository.folder, { owner, name, sha }, response);
}

async function serveSmartHttp(parts: ServerParts, { path, url, caller, request, response }: Visit): Promise<void> {
  const [owner = '', folder = '', ...rest] = path;
  const service = rest.join('/');
  if (!isGitService(service)) throw notFound();
  const repository = parts.repositories.find({ owner, name: folder.slice(0, -'.git'.length) });
  // Git only sends its login after a 401, which therefore must come before the 404 of what anybody may not see.
  if (caller.kind === 'anybody' && repository?.private !== false) {
    throw new RestError(401, 'Requires authentication', challenge);
  }
  const seen = visible(parts.repositories, caller, owner, repository?.name ?? '');
  if (isPush(service, url.searchParams)) checkTrusted(caller, owner);
  const asked = {
    path: `/${seen.owner}/${seen.name}.git/${service}`,
    query: url.searchParams.toString(),
    user: caller.kind === 'anybody' ? null : caller.login,
  };
  await serveGit(parts.git, parts.folders.repositories, asked, { request, response });
}

/** The address that payloads and statuses link to; people may well open it. */
async function servePage(parts: ServerParts, { path, caller, response }: Visit): Promise<void> {
  const [owner = '', name = ''] = path;
  const repository = visible(parts.repositories, caller, owner, name);
  const lines = [
    `${owner}/${name}`,
    '',
    `git clone ${parts.url()}/${owner}/${name}.git`,
    `git clone ${repository.folder}`,
    '',
  ];
  response.writeHead(200, { 'content-type': 'text/plain; charset=utf-8' }).end(lines.join('\n'));
}

function answerError(parts: ServerParts, response: ServerResponse, error: unknown): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  if (!(error instanceof RestError)) {
    parts.log(`The repository host failed: ${error instanceof Error ? error.message : String(error)}`);
    sendJson(response, 500, { message: 'Server Error' });
    return;
  }
  for (const [name, value] of Object.entries(error.headers)) response.setHeader(name, value);
  sendJson(response, error.status, { message: error.message, documentation_url: 'https://docs.github.com/rest' });
}
