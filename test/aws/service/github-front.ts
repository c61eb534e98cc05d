import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { DeployError } from '../../../functions/core/errors.ts';
import type { VerifyLogin } from '../../../functions/core/ports/accounts.ts';
import type { Host } from '../../../functions/core/ports/repository-host.ts';
import { listen, type ReservedPort } from '../../../lib/http/ports.ts';

interface Front {
  readonly host: Host;
  /** The only user, whose password and API tokens are valid as tokens. */
  readonly user: string;
  readonly verify: VerifyLogin;
}

const MAX_FILE_BYTES = 1024 * 1024;
const { signal: never } = new AbortController();

/** Serves a repository host as those parts of GitHub's REST API that the adapter of GitHub calls, to the functions of a stack. */
export async function githubFront(front: Front, port: ReservedPort): Promise<Server> {
  const server = createServer((request, response) => {
    answer(front, request, response).catch((error: unknown) => refuse(response, error));
  });
  await listen(server, port);
  return server;
}

async function answer({ host, user, verify }: Front, request: IncomingMessage, response: ServerResponse) {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://front.invalid');
  const [kind, owner = '', name = '', resource, ...rest] = pathname.split('/').slice(1).map(decodeURIComponent);
  const secret = request.headers.authorization?.split(' ')[1];
  if (secret !== undefined && !(await verify(user, secret))) return json(response, 401, { message: 'Bad credentials' });
  const token = secret === undefined ? null : user;
  const path = rest.join('/');
  const repository = { host: 'local', owner, name };
  const commit = (sha: string) => ({ ...repository, sha });
  if (kind === 'user') {
    response.setHeader('x-oauth-scopes', 'repo');
    return token === null ? json(response, 401, {}) : json(response, 200, { login: user, type: 'User' });
  }
  switch (`${request.method} ${resource}`) {
    case 'GET contents': {
      const text = await host.file(commit(searchParams.get('ref') ?? ''), path, token, MAX_FILE_BYTES);
      return text === null ? json(response, 404, {}) : void response.end(text);
    }
    case 'GET commits':
      await host.compare(commit(path), path, token);
      return void response.end(path);
    case 'GET tarball':
      return pipeline(await host.tarball(commit(path), token, never), response);
    case 'GET compare': {
      const [base = '', head = ''] = path.split('...');
      return json(response, 200, { status: await host.compare(commit(base), head, token) });
    }
    case 'GET branches': {
      const tip = await host.tip(repository, path, token);
      if (tip === null) return json(response, 404, { message: 'Branch not found' });
      const { sha, message, author } = tip;
      return json(response, 200, { name: path, commit: { sha, commit: { message, author: { name: author } } } });
    }
    case 'GET undefined':
      await host.tip(repository, 'any', token);
      return json(response, 200, {});
    case 'POST statuses':
      return json(response, 201, {});
    case 'GET pulls':
      return json(response, 410, { message: 'This repository host has no pull requests.' });
  }
  return json(response, 404, { message: 'Not Found' });
}

function refuse(response: ServerResponse, error: unknown): void {
  if (response.headersSent) return void response.destroy();
  json(response, error instanceof DeployError && !error.retry ? 404 : 500, { message: 'Not Found' });
}

function json(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
