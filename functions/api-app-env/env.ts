import { jsonIn } from '../api/body.ts';
import { dispatch } from '../api/dispatch.ts';
import { accepted } from '../api/entry-answer.ts';
import type { HttpAnswer, HttpRequest } from '../api/http.ts';
import { oneOf, previews, restart, values } from '../api/parameters.ts';
import { appRef, packageNameIn, required } from '../core/app-ref.ts';
import { foundApp } from '../core/apps/found-app.ts';
import type { AppPorts } from '../core/apps/history.ts';
import { operationOnRunning, recorded, type StorePorts } from '../core/apps/record.ts';
import { badParameter, DeployError } from '../core/errors.ts';
import { isObject } from '../core/json.ts';
import type { AppVariables, VariableChanges } from '../core/ports/applications.ts';
import { withMarks } from '../core/preview/variables.ts';

export interface EnvPorts extends AppPorts, StorePorts {
  readonly variables: AppVariables;
}

export const env = dispatch('api-app-env', {
  'GET /1/apps/{user}/{application}/env': listVariables,
  'PATCH /1/apps/{user}/{application}/env': changeVariables,
  'PUT /1/apps/{user}/{application}/env/{variable}': setVariable,
  'DELETE /1/apps/{user}/{application}/env/{variable}': removeVariable,
});

/** `GET …/env`: the variables, sorted by name; their values are null without `?values=true`. */
async function listVariables(request: HttpRequest, { variables }: EnvPorts): Promise<HttpAnswer> {
  const withValues = oneOf(request.query, values) === 'true';
  if (withValues && request.token?.rights !== undefined) {
    throw new DeployError('request:forbidden', `The API token ${request.token.name} may not read values of variables.`);
  }
  const stored = required(await variables.read(appRef(request)), request);
  const names = Object.keys(stored).sort();
  return {
    status: 200,
    body: { env: Object.fromEntries(names.map((name) => [name, withValues ? stored[name] : null])) },
  };
}

/**
 * `PUT …/env/<name>`: sets a variable and restarts the application. An application that was never deployed is made by
 * that (`201`), because its first deploy may need the variable.
 */
async function setVariable(request: HttpRequest, ports: EnvPorts): Promise<HttpAnswer> {
  const name = checkedName(request.params.variable ?? '');
  const { status, restart } = await change({ [name]: valueIn(request) }, request, ports);
  return { status, body: { name, restart } };
}

/**
 * `PATCH …/env`: sets variables, and removes those that are null, with one restart. All are changed or none. An
 * application that was never deployed is made by that (`201`). With `?previews=true` previews get them too.
 */
async function changeVariables(request: HttpRequest, ports: EnvPorts): Promise<HttpAnswer> {
  const changes = changesIn(request);
  const { status, restart } = await change(changes, request, ports);
  return { status, body: { names: Object.keys(changes).sort(), restart } };
}

interface Changed {
  /** 201 when the application was made by the change. */
  readonly status: 200 | 201;
  /** The row of the restart's entry. */
  readonly restart: unknown;
}

async function change(changes: VariableChanges, request: HttpRequest, ports: EnvPorts): Promise<Changed> {
  const restarts = restartsAfter(request);
  const forPreviews = oneOf(request.query, previews) === 'true';
  const app = appRef(request);
  const all = forPreviews ? (known: Readonly<Record<string, string>>) => withMarks(changes, known) : changes;
  if (await ports.variables.set(app, all)) {
    return { status: 200, restart: restarts ? await restartFor(Object.keys(changes), request, ports) : null };
  }
  // An application without variables has none to remove: its name may be mistyped.
  if (Object.values(changes).every((value) => value === null)) required(null, request);
  await ports.variables.create(app, packageNameIn(request));
  await ports.variables.set(app, all);
  return { status: 201, restart: null };
}

/** `DELETE …/env/<name>`: removes a variable and restarts the application. */
async function removeVariable(request: HttpRequest, ports: EnvPorts): Promise<HttpAnswer> {
  const [name, restarts] = [checkedName(request.params.variable ?? ''), restartsAfter(request)];
  const app = appRef(request);
  if (!(await ports.variables.unset(app, name))) {
    throw new DeployError(
      'status:db:not_found',
      `${app.app} has no variable ${name}, or there is no such application.`,
    );
  }
  return { status: 200, body: { name, restart: restarts ? await restartFor([name], request, ports) : null } };
}

/** Restarts an application that runs or has crashed. Returns the entry's row; null when its next start is another one. */
async function restartFor(names: readonly string[], request: HttpRequest, ports: EnvPorts): Promise<unknown> {
  const application = await foundApp(request, ports);
  if (['never', 'stopped', 'asleep'].includes(application.app.state)) return null;
  const draft = { ...operationOnRunning(application, 'restart'), message: messageOf(names) };
  return accepted(await recorded(request, draft, {}, ports)).body;
}

const MAX_NAMES = 5;

function messageOf(names: readonly string[]): string {
  if (names.length === 1) return `The variable ${names[0]} was changed`;
  const more = names.length > MAX_NAMES ? ` and ${names.length - MAX_NAMES} more` : '';
  return `The variables ${names.slice(0, MAX_NAMES).join(', ')}${more} were changed`;
}

function restartsAfter({ query }: HttpRequest): boolean {
  return oneOf(query, restart) === 'true';
}

const NAME_PATTERN = /^[A-Za-z_][A-Za-z0-9_]{0,127}$/;

function checkedName(name: string): string {
  if (NAME_PATTERN.test(name)) return name;
  const detail = 'The name of a variable has up to 128 letters, digits and _, and does not begin with a digit.';
  throw badParameter(detail);
}

/** Far more than a platform stores; it limits all variables of an application together. */
const MAX_BODY_BYTES = 256 * 1024;
const ONE = 'Send the value as JSON: {"value": "…"}, or the string alone in double quotes.';
const SEVERAL = 'Send variables as JSON: {"NAME": "value", "REMOVED": null}.';

/**
 * Returns the value in a body: a JSON string, or `{"value": "…"}`. Throws `request:bad_parameter` and
 * `request:too_large`. No message quotes the body.
 */
function valueIn(request: HttpRequest): string {
  const json = valuesIn(request, ONE);
  return checkedValue(isObject(json) ? json.value : json, ONE);
}

/** Returns the changes in a body, `{"A": "…", "B": null}`. Throws as `valueIn` does. */
function changesIn(request: HttpRequest): VariableChanges {
  const json = valuesIn(request, SEVERAL);
  if (!isObject(json) || Object.keys(json).length === 0) throw unreadable('has no variables', SEVERAL);
  return Object.fromEntries(
    Object.entries(json).map(([name, value]) => [
      checkedName(name),
      value === null ? null : checkedValue(value, SEVERAL, `has no string for ${name}`),
    ]),
  );
}

function valuesIn(request: HttpRequest, advice: string): unknown {
  if (request.body.byteLength <= MAX_BODY_BYTES) return jsonIn(request, (problem) => unreadable(problem, advice));
  throw new DeployError('request:too_large', `Variables have less than ${MAX_BODY_BYTES / 1024} KiB.`);
}

function checkedValue(value: unknown, advice: string, problem = 'has no string'): string {
  if (typeof value !== 'string') throw unreadable(problem, advice);
  if (value.includes('\0')) throw unreadable('has a NUL character in its string', advice);
  return value;
}

function unreadable(problem: string, advice: string): DeployError {
  return badParameter(`The body ${problem}. ${advice}`);
}
