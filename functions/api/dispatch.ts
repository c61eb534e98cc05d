import type { EndpointFunction, Endpoint as EndpointName, endpoints } from './endpoints/endpoints.ts';
import type { HttpRequest } from './http.ts';

/** The endpoints whose rows name this function. */
type EndpointsOf<Name extends EndpointFunction> = {
  [One in EndpointName]: (typeof endpoints)[One]['function'] extends Name ? One : never;
}[EndpointName];

type Endpoint<Ports, Answer> = (request: HttpRequest, ports: Ports) => Answer | Promise<Answer>;

/**
 * Returns the work of a function: that of each of its endpoints, which the compiler requires to be all. What an endpoint
 * answers is not to be cached, unless it says otherwise.
 */
export function dispatch<
  Name extends EndpointFunction,
  Ports,
  Answer extends { readonly headers?: Readonly<Record<string, string>> },
>(
  name: Name,
  own: Readonly<Record<EndpointsOf<Name>, unknown> & Record<string, Endpoint<Ports, Answer>>>,
): (ports: Ports) => (request: HttpRequest) => Promise<Answer> {
  const endpoints = new Map<string, Endpoint<Ports, Answer>>(Object.entries(own));
  return (ports) => async (request) => {
    const asked = `${request.method} ${request.resource}`;
    const endpoint = endpoints.get(asked);
    if (!endpoint) throw new Error(`${name} has no endpoint ${asked}`);
    const answer = await endpoint(request, ports);
    return { ...answer, headers: { 'cache-control': 'no-store', ...answer.headers } };
  };
}
