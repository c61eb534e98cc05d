import { isLabelledJson, jsonIn } from '../api/body.ts';
import { dispatch } from '../api/dispatch.ts';
import type { HttpAnswer, HttpRequest } from '../api/http.ts';
import type { Token } from '../api/shapes/logins.ts';
import { type Credentials, readBasic } from '../core/basic-auth.ts';
import { badParameter, DeployError } from '../core/errors.ts';
import { isObject } from '../core/json.ts';
import { withLogin } from '../core/login.ts';
import type { ApiToken, ApiTokens, UsedToken } from '../core/ports/accounts.ts';

interface TokensPorts {
  readonly tokens: ApiTokens;
}

/** Returns the endpoints of the user's API tokens. Each call is made with the caller's own login. */
export const tokens = dispatch('api-tokens', {
  'GET /1/auth/tokens': list,
  'POST /1/auth/tokens': create,
  'DELETE /1/auth/tokens/{name}': revoke,
});

async function list(request: HttpRequest, { tokens }: TokensPorts): Promise<HttpAnswer> {
  const made = await withLogin(sentIn(request), tokens.list);
  return { status: 200, body: { tokens: made.map(viewOf) } };
}

async function create(request: HttpRequest, { tokens }: TokensPorts): Promise<HttpAnswer> {
  const { name, rights } = wantedIn(request);
  const { token, ...made } = await withLogin(sentIn(request), (login) => tokens.create(login, name, rights));
  return { status: 201, body: { ...viewOf(made), token } };
}

async function revoke(request: HttpRequest, { tokens }: TokensPorts): Promise<HttpAnswer> {
  const { name = '' } = request.params;
  if (await withLogin(sentIn(request), (login) => tokens.revoke(login, name))) return { status: 204 };
  const detail = 'You have no API token of that name. GET /1/auth/tokens lists your tokens.';
  throw new DeployError('status:db:not_found', detail);
}

function viewOf({ createdAt, ...token }: ApiToken): Token {
  return { ...token, created_at: createdAt };
}

function sentIn({ headers }: HttpRequest): Credentials {
  const sent = readBasic(headers.authorization);
  if (sent) return sent;
  throw new DeployError('mw:auth:unauthorized', 'Send HTTP Basic credentials.');
}

const MAX_BODY_BYTES = 4096;

/** Returns the name and the rights in the body of a request. */
function wantedIn(request: HttpRequest): UsedToken {
  const { body, headers } = request;
  if (!isLabelledJson(headers)) {
    throw unreadable('is read as JSON only (Content-Type: application/json)');
  }
  if (body.byteLength > MAX_BODY_BYTES) throw new DeployError('request:too_large', 'A name has at most 64 characters.');
  const json = jsonIn(request, unreadable);
  const { name, rights = null } = isObject(json) ? json : {};
  if (typeof name !== 'string' || name === '') throw unreadable('has no field name');
  if (rights === null) return { name };
  if (rights === 'read' || rights === 'deploy') return { name, rights };
  throw unreadable('has other rights than read and deploy');
}

function unreadable(problem: string): DeployError {
  return badParameter(`The body ${problem}. Send {"name": "<what the token is for>"}.`);
}
