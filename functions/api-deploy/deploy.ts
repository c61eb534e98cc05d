import { answerOf } from '../api/entry-answer.ts';
import type { HttpAnswer, HttpRequest } from '../api/http.ts';
import { DeployError } from '../core/errors.ts';
import { agentOf } from '../core/ports/refused-calls.ts';
import { accept } from './accept.ts';
import type { DeployPorts } from './ports.ts';

/**
 * Returns the endpoint `POST /` and `POST /1/deploy`. It answers a webhook call as soon as it is stored or, with
 * `Prefer: wait`, with the outcome of the deploy.
 */
export function deploy(ports: DeployPorts): (request: HttpRequest) => Promise<HttpAnswer> {
  return async (request) => {
    const { user, uuid, base, token, headers, query, body } = request;
    const hook = { user, uuid, base, token: token?.name, headers, query, raw: body, at: ports.clock.now() };
    const [entry] = await accept(hook, ports).catch(async (error: unknown) => {
      await note(error, request, ports);
      throw error;
    });
    return answerOf(entry, request, ports);
  };
}

/** Remembers why a call has no entry; what failed here and not at the sender is no refusal. */
async function note(error: unknown, { user, headers, uuid }: HttpRequest, ports: DeployPorts): Promise<void> {
  if (!(error instanceof DeployError) || error.status >= 500) return;
  const call = { at: ports.clock.now(), code: error.code, detail: error.detail, agent: agentOf(headers['user-agent']) };
  await ports.refused.note(user, call).catch((cause: unknown) => {
    ports.trace('refused call not remembered', { uuid, error: cause });
  });
}
