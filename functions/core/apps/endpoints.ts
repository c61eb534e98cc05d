import { DeployError } from '../errors.ts';

interface Routed {
  readonly method: string;
  readonly resource: string;
}

type Endpoint<Request, Ports, Answer> = (request: Request, ports: Ports) => Promise<Answer>;

/** Returns the endpoints of a function, by their routes, as one. What they say of applications is not to be cached. */
export function endpointsOf<
  Request extends Routed,
  Ports,
  Answer extends { readonly headers?: Readonly<Record<string, string>> },
>(endpoints: Readonly<Record<string, Endpoint<Request, Ports, Answer> | undefined>>) {
  return (ports: Ports) =>
    async (request: Request): Promise<Answer> => {
      const endpoint = endpoints[`${request.method} ${request.resource}`];
      if (!endpoint) throw new DeployError('request:not_found', 'There is no such endpoint of applications.');
      const answer = await endpoint(request, ports);
      return { ...answer, headers: { 'cache-control': 'no-store', ...answer.headers } };
    };
}
