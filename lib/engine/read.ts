import { randomUUID } from 'node:crypto';
import { routes } from '../../functions/api/routes.ts';
import { DeployError } from '../../functions/core/errors.ts';
import type { Endpoint } from './http/answer.ts';
import { compileRoutes, decodedPart } from './http/router.ts';

/** A `GET` of a user of this process. */
export interface OwnRead {
  readonly user: string;
  /** The address of the service in what is answered. */
  readonly base: string;
  /** The path, percent-encoded. */
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  /** Ends a stream. */
  readonly gone: AbortSignal;
}

const find = compileRoutes(routes);

/**
 * Returns what the API answers to a read, without a request and its login: a value, or the chunks of a stream. Throws a
 * DeployError.
 */
export async function readOwn(
  endpoints: Readonly<Record<string, Endpoint>>,
  { path, ...asked }: OwnRead,
): Promise<{ readonly value: unknown } | { readonly chunks: AsyncIterable<Uint8Array> }> {
  const { route, resource, variables } = find('GET', path);
  const endpoint = endpoints[route?.function ?? ''];
  if (!endpoint) throw new DeployError('request:not_found', `There is nothing at ${path}.`);
  const params = Object.fromEntries(Object.entries(variables).map(([name, value]) => [name, decodedPart(value)]));
  const plain = { method: 'GET', headers: {}, body: new Uint8Array(), uuid: randomUUID() };
  const request = { ...plain, ...asked, path, resource, params };
  if ('answer' in endpoint) return { value: (await endpoint.answer(request)).body };
  return { chunks: (await endpoint.stream(request)).body ?? none() };
}

async function* none(): AsyncGenerator<Uint8Array> {}
