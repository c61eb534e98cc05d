import type { HttpAnswer, HttpRequest } from '../api/http.ts';
import { appRef, packageNameIn, required } from '../core/app-ref.ts';
import { accepted } from '../core/entry/answer.ts';
import { DeployError } from '../core/errors.ts';
import { isObject, parseJson } from '../core/json.ts';
import { oneOf } from '../core/parameters.ts';
import { foundApp } from './found-app.ts';
import type { AppsPorts } from './ports.ts';
import { commitOf, recorded } from './record.ts';

/** `GET …/env`: the variables, sorted by name; their values are null without `?values=true`. */
export async function listVariables(request: HttpRequest, { variables }: AppsPorts): Promise<HttpAnswer> {
  const withValues = oneOf(request.query, 'values', ['false', 'true']) === 'true';
  const known = required(await variables.read(appRef(request)), request);
  const names = Object.keys(known).sort();
  return {
    status: 200,
    body: { env: Object.fromEntries(names.map((name) => [name, withValues ? known[name] : null])) },
  };
}

/**
 * `PUT …/env/<name>`: sets a variable and restarts the application. An application that was never deployed is made by
 * that (`201`), because its first deploy may need the variable.
 */
export async function setVariable(request: HttpRequest, ports: AppsPorts): Promise<HttpAnswer> {
  const [name, value, restarts] = [variableIn(request), valueIn(request), restartsAfter(request)];
  const app = appRef(request);
  const isKnown = await ports.variables.set(app, name, value);
  if (!isKnown) {
    await ports.variables.create(app, packageNameIn(request));
    await ports.variables.set(app, name, value);
  }
  const restart = restarts && isKnown ? await restartFor(name, request, ports) : null;
  return { status: isKnown ? 200 : 201, body: { name, restart } };
}

/** `DELETE …/env/<name>`: removes a variable and restarts the application. */
export async function removeVariable(request: HttpRequest, ports: AppsPorts): Promise<HttpAnswer> {
  const [name, restarts] = [variableIn(request), restartsAfter(request)];
  const app = appRef(request);
  if (!(await ports.variables.unset(app, name))) {
    throw new DeployError(
      'status:db:not_found',
      `${app.app} has no variable ${name}, or there is no such application.`,
    );
  }
  return { status: 200, body: { name, restart: restarts ? await restartFor(name, request, ports) : null } };
}

/** Restarts an application that runs or has crashed. Returns the entry's row; null when there is nothing to restart. */
async function restartFor(variable: string, request: HttpRequest, ports: AppsPorts): Promise<unknown> {
  const { app, name, active } = await foundApp(request, ports);
  if (app.state === 'never' || app.state === 'stopped') return null;
  const commit = active ? commitOf(active) : {};
  const told = { message: `The variable ${variable} was changed`, snapshot: app.snapshot };
  const draft = { ...commit, appName: name, stage: 'start', operation: 'restart', ...told } as const;
  return accepted(await recorded(request, draft, {}, ports)).body;
}

function restartsAfter({ query }: HttpRequest): boolean {
  return oneOf(query, 'restart', ['true', 'false']) === 'true';
}

const NAME_PATTERN = /^[A-Za-z_][A-Za-z0-9_]{0,127}$/;

/** Returns the name of the variable in the path. Throws `request:bad_parameter`. */
function variableIn({ params }: HttpRequest): string {
  const { variable = '' } = params;
  if (NAME_PATTERN.test(variable)) return variable;
  const detail = 'The name of a variable has up to 128 letters, digits and _, and does not begin with a digit.';
  throw new DeployError('request:bad_parameter', detail);
}

/** Far more than a platform stores; it limits all variables of an application together. */
const MAX_BODY_BYTES = 256 * 1024;
const utf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * Returns the value in a body: a JSON string, or `{"value": "…"}`. Throws `request:bad_parameter` and
 * `request:too_large`. No message quotes the body.
 */
function valueIn({ body }: Pick<HttpRequest, 'body'>): string {
  if (body.byteLength > MAX_BODY_BYTES) {
    throw new DeployError('request:too_large', `A variable has less than ${MAX_BODY_BYTES / 1024} KiB.`);
  }
  const json = jsonIn(body);
  const value = isObject(json) ? json.value : json;
  if (typeof value !== 'string') throw unreadable('has no string');
  if (value.includes('\0')) throw unreadable('has a NUL character in its string');
  return value;
}

function jsonIn(body: Uint8Array): unknown {
  const result = parseJson(decoded(body));
  if (result.ok) return result.value;
  throw unreadable(result.problem);
}

function decoded(body: Uint8Array): string {
  try {
    return utf8.decode(body);
  } catch {
    throw unreadable('is not UTF-8');
  }
}

function unreadable(problem: string): DeployError {
  const detail = `The body ${problem}. Send the value as JSON: {"value": "…"}, or the string alone in double quotes.`;
  return new DeployError('request:bad_parameter', detail);
}
