import type { HttpAnswer, HttpRequest } from '../triggers/http.ts';
import { accept } from './accept.ts';
import { accepted, awaited } from './answer.ts';
import type { AcceptPorts } from './ports.ts';
import { preferredWait } from './prefer.ts';

/** `POST /` and `POST /1/deploy`: takes a webhook call and answers as soon as it is stored, or with the outcome. */
export function deploy(ports: AcceptPorts): (request: HttpRequest) => Promise<HttpAnswer> {
  return async (request) => {
    const { user, uuid, base, headers, query, body } = request;
    const [entry] = await accept({ user, uuid, base, headers, query, raw: body, at: ports.clock.now() }, ports);
    const wait = preferredWait(headers.prefer);
    return wait === null ? accepted(entry) : awaited(entry, wait, ports);
  };
}
