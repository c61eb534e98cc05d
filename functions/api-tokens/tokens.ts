import { jsonIn } from '../api/body.ts';
import { dispatch } from '../api/dispatch.ts';
import type { HttpAnswer, HttpRequest } from '../api/http.ts';
import type { Token } from '../api/shapes/logins.ts';
import { type Credentials, percentDecoded, readBasic } from '../core/basic-auth.ts';
import { badParameter, DeployError } from '../core/errors.ts';
import { isObject } from '../core/json.ts';
import type { ApiToken, ApiTokens } from '../core/ports/accounts.ts';

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
  const made = await withLogin(request, (login) => tokens.list(login));
  return { status: 200, body: { tokens: made.map(viewOf) } };
}

async function create(request: HttpRequest, { tokens }: TokensPorts): Promise<HttpAnswer> {
  const name = nameIn(request);
  const { token, ...made } = await withLogin(request, (login) => tokens.create(login, name));
  return { status: 201, body: { ...viewOf(made), token } };
}

async function revoke(request: HttpRequest, { tokens }: TokensPorts): Promise<HttpAnswer> {
  const { name = '' } = request.params;
  if (await withLogin(request, (login) => tokens.revoke(login, name))) return { status: 204 };
  const detail = 'You have no API token of that name. GET /1/auth/tokens lists your tokens.';
  throw new DeployError('status:db:not_found', detail);
}

function viewOf({ name, createdAt }: ApiToken): Token {
  return { name, created_at: createdAt };
}

/** Calls with the login as sent, then percent-decoded, as the authorizer does. */
async function withLogin<T>({ headers }: HttpRequest, call: (login: Credentials) => Promise<T>): Promise<T> {
  const sent = readBasic(headers.authorization);
  if (!sent) throw new DeployError('mw:auth:unauthorized', 'Send HTTP Basic credentials.');
  const decoded = percentDecoded(sent);
  if (!decoded) return call(sent);
  try {
    return await call(sent);
  } catch (error) {
    if (!(error instanceof DeployError) || error.code !== 'mw:auth:unauthorized') throw error;
    return call(decoded);
  }
}

const MAX_BODY_BYTES = 4096;

/**
 * Returns the name in the body of a request. The content type must be JSON: another site's page can make a logged-in
 * browser send a form, but not JSON (https://fetch.spec.whatwg.org/#cors-safelisted-request-header).
 */
function nameIn(request: HttpRequest): string {
  const { body, headers } = request;
  if (!/^application\/json(?:\s*;|\s*$)/i.test(headers['content-type'] ?? '')) {
    throw unreadable('is read as JSON only (Content-Type: application/json)');
  }
  if (body.byteLength > MAX_BODY_BYTES) throw new DeployError('request:too_large', 'A name has at most 64 characters.');
  const json = jsonIn(request, unreadable);
  const name = isObject(json) ? json.name : undefined;
  if (typeof name === 'string' && name !== '') return name;
  throw unreadable('has no field name');
}

function unreadable(problem: string): DeployError {
  return badParameter(`The body ${problem}. Send {"name": "<what the token is for>"}.`);
}
