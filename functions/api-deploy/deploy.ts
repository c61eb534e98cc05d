import type { HttpAnswer, HttpRequest } from '../api/http.ts';
import { accepted, awaited } from '../core/entry/answer.ts';
import { preferredWait } from '../core/parameters.ts';
import { accept } from './accept.ts';
import type { AcceptPorts } from './ports.ts';

/**
 * Returns the endpoint `POST /` and `POST /1/deploy`. It answers a webhook call as soon as it is stored or, with
 * `Prefer: wait`, with the outcome of the deploy.
 */
export function deploy(ports: AcceptPorts): (request: HttpRequest) => Promise<HttpAnswer> {
  return async (request) => {
    const { user, uuid, base, headers, query, body } = request;
    const [entry] = await accept({ user, uuid, base, headers, query, raw: body, at: ports.clock.now() }, ports);
    const wait = preferredWait(headers.prefer);
    return wait === null ? accepted(entry) : awaited(entry, wait, ports);
  };
}
