import type { HttpAnswer, HttpRequest } from '../api/http.ts';
import { appRef, required } from '../core/app-ref.ts';
import { DeployError } from '../core/errors.ts';
import { INPUT_FORM, runInputIn, runStartIn, START_FORM } from '../core/output/run-request.ts';
import { fieldsIn } from '../core/parameters.ts';
import type { AppsPorts } from './ports.ts';

const MAX_BODY_KIB = 512;

/** `POST …/runs`: starts a command in the release that is live. */
export async function startRun(request: HttpRequest, { runs }: AppsPorts): Promise<HttpAnswer> {
  const command = runStartIn(fieldsIn(request, MAX_BODY_KIB));
  if (!command) throw new DeployError('request:bad_parameter', START_FORM);
  return { status: 201, body: required(await runs.start(appRef(request), command), request) };
}

/** `POST …/runs/<run>`: sends input or a signal to it. */
export async function writeRun(request: HttpRequest, { runs }: AppsPorts): Promise<HttpAnswer> {
  const input = runInputIn(fieldsIn(request, MAX_BODY_KIB));
  if (!input) throw new DeployError('request:bad_parameter', INPUT_FORM);
  if (await runs.write(appRef(request), request.params.run ?? '', input)) return { status: 204 };
  throw new DeployError('status:db:not_found', 'There is no such command any more.');
}
