import * as v from 'valibot';
import { type Client, causeOf, client, Problem } from '../../client/client.ts';
import { Unreadable } from '../../client/lines.ts';
import { printable, printableValue } from '../../terminal/printable.ts';
import { Failure } from '../errors.ts';
import { nearlyNamed } from './misspelt.ts';
import type { Service } from './stored-login.ts';

/** The API of a service, for one user. Each method throws a `Failure` with a sentence for the user. */
export interface Api extends Pick<Client, 'user' | 'call'> {
  readonly service: Service;
  /** The client with its original errors, for code that resumes streams. */
  readonly client: Client;
  /** Returns an error of `client` as a sentence for the user. */
  explain(error: unknown): Error;
  /** The same, with the name that was probably meant where no application has the one in the path of the request. */
  explainCall(error: unknown, path: readonly string[]): Promise<Error>;
}

/** The service refused a request. */
export class Refusal extends Failure {
  constructor(
    message: string,
    readonly status: number,
    /** A code of the service's error table; null when something else answered. */
    readonly code: string | null,
  ) {
    super(message);
  }
}

/** Returns the API of a service. `signal` ends requests in progress. */
export function api(service: Service, signal: AbortSignal): Api {
  const { url, user, secret } = service;
  const caller = client({ url, user, secret, signal, headers: { 'user-agent': 'deployment-webhooks-hooks' } });
  const explain = (error: unknown) => failure(error, service);
  const explainCall = (error: unknown, path: readonly string[]) => withNearName(explain(error), caller, path);
  return {
    service,
    user,
    client: caller,
    call: (request) =>
      caller.call(request).catch(async (error) => {
        throw await explainCall(error, request.path);
      }),
    explain,
    explainCall,
  };
}

/**
 * Returns the service's answer, checked, and without what a terminal understands. Throws `Unreadable` when it has another
 * shape.
 */
export function parsed<const S extends v.GenericSchema>(schema: S, value: unknown): v.InferOutput<S> {
  const result = v.safeParse(schema, value);
  return known(result.success ? result.output : null);
}

/** Returns what was read from an answer as `parsed` does; null stands for an answer of another shape. */
export function known<T>(value: T | null): T {
  if (value !== null) return printableValue(value);
  throw new Unreadable();
}

function failure(error: unknown, service: Service): Error {
  if (error instanceof Failure || error instanceof Unreadable) return error;
  if (error instanceof Problem) return refusal(error, service);
  const { url, from } = service;
  const cause = printable(causeOf(error));
  const text = `The service at ${url} cannot be reached (${cause}); the address is that of ${from}.`;
  return new Failure(text, { cause: error });
}

async function withNearName(error: Error, own: Client, [resource, , app]: readonly string[]): Promise<Error> {
  if (resource !== 'apps' || app === undefined) return error;
  if (!(error instanceof Refusal) || error.code !== 'status:db:not_found') return error;
  const near = await nearlyNamed(own, app);
  return near === null ? error : new Refusal(`${error.message} Did you mean "${near}"?`, error.status, error.code);
}

/** The endpoints that the service's advice names, and the commands for them. */
const COMMANDS: readonly (readonly [endpoint: string, command: string])[] = [
  ['GET /1/apps/<user> lists', '"hooks apps" lists'],
  ['GET /1/auth/tokens lists', '"hooks tokens" lists'],
];

/** Returns the refusal as a sentence: what was wrong, its code, and where it is explained. */
function refusal({ status, code, title, detail }: Problem, { url, user, from }: Service): Refusal {
  if (code === null) {
    const text = `What answers at ${url} is not the service (status ${status}): is its address right?`;
    return new Refusal(text, status, null);
  }
  const advice = COMMANDS.reduce((text, [endpoint, command]) => text.replace(endpoint, command), detail || title);
  const login = code === 'mw:auth:unauthorized' ? ` The login of "${user}" is that of ${from}.` : '';
  const text = `${printable(advice)}${login} (${printable(code)}, explained at ${url}/errors#${printable(code)})`;
  return new Refusal(text, status, code);
}
