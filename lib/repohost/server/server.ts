import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import * as v from 'valibot';
import { jsonIn } from '../../../functions/core/json-value.ts';
import type { VerifyLogin } from '../../../functions/core/ports/accounts.ts';
import { FULL_DISK, isFull, OperatorError } from '../../files/errors.ts';
import { Connections } from '../../http/connections.ts';
import { isRepositoryName, REPOSITORY_NAME_RULE } from '../store/folders.ts';
import { type Caller, callerOf, loginNeeded, notFound, Refused, requireRights, visible } from './access.ts';
import { type GitServing, gitPathOf, serveSmartHttp } from './git-requests.ts';

interface ServerDependencies extends GitServing {
  readonly verify: VerifyLogin;
  readonly log: (line: string) => void;
  /** Returns the address of the host. */
  readonly url: () => string;
}

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

const MOST_CONNECTIONS = 1_000;

/** Returns the HTTP server of the host: git over HTTP, new repositories, and a page for each. */
export function repoHostServer(deps: ServerDependencies): Server {
  const members = new WeakSet<Socket>();
  const server = createServer((request, response) => {
    response.on('error', () => {});
    handle({ ...deps, members }, { request, response }).catch((error: unknown) =>
      sendError(deps, { request, response }, error),
    );
  });
  // A push may be silent for as long as a build.
  new Connections({ most: MOST_CONNECTIONS, hasLogin: (socket) => members.has(socket) }).guard(server);
  return server;
}

interface Handling extends ServerDependencies {
  /** The connections with a login. */
  readonly members: WeakSet<Socket>;
}

async function handle({ members, ...deps }: Handling, { request, response }: Exchange): Promise<void> {
  checkHost(request.headers.host);
  const url = new URL(request.url ?? '/', 'http://host.invalid');
  const path = segments(url);
  const { caller, token } = await callerOf(request.headers.authorization, deps.verify);
  if (caller !== null) members.add(request.socket);
  const gitPath = gitPathOf(path);
  if (gitPath !== null) return serveSmartHttp(deps, gitPath, { url, caller, token, request, response });
  if (path.slice(2, 4).join('/') === 'info/lfs') return send(response, noLfs(path));
  if (path.join('/') === 'user/repos' && request.method === 'POST') {
    if (caller === null) throw loginNeeded();
    requireRights({ token });
    const made = await makeRepository(deps, caller, request);
    return send(response, { status: 201, headers: JSON_TYPE, body: JSON.stringify(made) });
  }
  send(response, { status: 200, headers: PLAIN_TEXT, body: pageOf(deps, path, caller) });
}

const JSON_TYPE = { 'content-type': 'application/json; charset=utf-8' };
const PLAIN_TEXT = { 'content-type': 'text/plain; charset=utf-8' };

/** Accepts only host names of this machine, against DNS rebinding by a web page. */
function checkHost(host: string | undefined): void {
  if (!/^(?:127\.0\.0\.1|localhost|\[::1\])(?::\d+)?$/.test(host ?? '')) throw new Refused(421, 'Misdirected Request');
}

/** Returns the decoded segments of a path. Throws 404. */
function segments({ pathname }: URL): string[] {
  try {
    return pathname.split('/').slice(1).map(decodeURIComponent);
  } catch {
    throw notFound();
  }
}

/**
 * The answer to git-lfs, which prints the message and ends the push; without an interface for locks it asks for none
 * (https://github.com/git-lfs/git-lfs/blob/main/docs/api/batch.md#response-errors).
 */
function noLfs([, , , , what]: readonly string[]): Answer {
  const message =
    'this host keeps no files of Git LFS. "git push --no-verify" pushes their pointers, which are deployed as they are: ' +
    'fetch the files in a script of the build, or keep them without LFS.';
  const headers = { 'content-type': 'application/vnd.git-lfs+json' };
  return { status: what === 'objects' ? 422 : 404, headers, body: JSON.stringify({ message }) };
}

const NewRepository = v.object({ name: v.string(), private: v.optional(v.boolean(), false) });
const MAX_BODY_BYTES = 65_536;

/**
 * Makes a repository of a user before its first push, which would make a public one: `{ "name", "private" }`. Throws 413
 * and 422.
 */
async function makeRepository({ repositories, url }: ServerDependencies, owner: string, request: IncomingMessage) {
  const body = v.safeParse(NewRepository, await readBody(request));
  if (!body.success) throw new Refused(422, 'The field name is missing, or a field is of the wrong type.');
  const { name, private: isPrivate } = body.output;
  if (!isRepositoryName({ owner, name })) throw new Refused(422, REPOSITORY_NAME_RULE);
  const isNew = await repositories.create({ owner, name }, { private: isPrivate });
  if (!isNew) throw new Refused(422, `There is a repository ${owner}/${name} already.`);
  const page = `${url()}/${owner}/${name}`;
  return { name, full_name: `${owner}/${name}`, private: isPrivate, html_url: page, clone_url: `${page}.git` };
}

async function readBody(request: AsyncIterable<Uint8Array>): Promise<unknown> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of request) {
    bytes += chunk.length;
    if (bytes > MAX_BODY_BYTES) throw new Refused(413, 'Payload Too Large');
    chunks.push(chunk);
  }
  const value = jsonIn(Buffer.concat(chunks).toString('utf8'));
  if (value === undefined) throw new Refused(422, 'The body is not JSON.');
  return value;
}

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

function send(response: ServerResponse, { status, headers, body }: Answer): void {
  response.writeHead(status, headers).end(body);
}

/** Returns the page of a repository, which entries link to. */
function pageOf({ repositories, url }: ServerDependencies, [owner = '', name = '']: readonly string[], caller: Caller) {
  const repository = visible(repositories, caller, { owner, name });
  const lines = [
    `${owner}/${name}`,
    '',
    `git clone ${url()}/${owner}/${name}.git`,
    `git clone ${repository.folder}`,
    '',
  ];
  return lines.join('\n');
}

function sendError(deps: ServerDependencies, { request, response }: Exchange, error: unknown): void {
  if (response.headersSent) return void response.destroy();
  const { status, message, headers } = refusalOf(error, deps);
  // Git shows the text of an error to its user, with `remote:` before each line, if it is plain text.
  const asText = { status, headers: { ...headers, ...PLAIN_TEXT }, body: `${message}\n` };
  send(response, isFailedPush(request, status) ? inBand(message) : asText);
}

/** Returns a failure as it is answered: with what the operator can mend, and paths below the data folder only. */
function refusalOf(error: unknown, { log, folders }: Pick<ServerDependencies, 'log' | 'folders'>): Refused {
  if (error instanceof Refused) return error;
  log(`The repository host failed: ${error instanceof Error ? error.message : String(error)}`);
  if (isFull(error)) return new Refused(507, FULL_DISK);
  if (error instanceof OperatorError) return new Refused(500, error.message.replaceAll(`${folders.root}/`, ''));
  return new Refused(500, 'Server Error');
}

function isFailedPush({ url = '', headers }: IncomingMessage, status: number): boolean {
  const isGit = headers['user-agent']?.startsWith('git/') === true;
  return isGit && url.endsWith('/git-receive-pack') && status >= 500;
}

/**
 * Git shows its user the error of the third sideband in the answer to a push
 * (https://git-scm.com/docs/protocol-capabilities#_side_band_side_band_64k), and nothing of one with another status.
 */
function inBand(message: string): Answer {
  const line = `\x03${message}\n`;
  const length = (Buffer.byteLength(line) + 4).toString(16).padStart(4, '0');
  return { status: 200, headers: { 'content-type': 'application/x-git-receive-pack-result' }, body: length + line };
}
