import { fieldsIn } from '../api/body.ts';
import type { HttpAnswer, HttpRequest } from '../api/http.ts';
import { appRef, required } from '../core/app-ref.ts';
import { badParameter } from '../core/errors.ts';
import type { Scale } from '../core/ports/processes.ts';
import type { AppsPorts } from './ports.ts';

/** `GET …/processes`: what runs of an application. */
export async function listProcesses(request: HttpRequest, { processes }: AppsPorts): Promise<HttpAnswer> {
  return { status: 200, body: required(await processes.list(appRef(request)), request) };
}

/** `PATCH …/processes`: how many processes of some types are to run, now and after later deploys. */
export async function scale(request: HttpRequest, { processes }: AppsPorts): Promise<HttpAnswer> {
  return { status: 200, body: required(await processes.scale(appRef(request), countsIn(request)), request) };
}

/** Returns the numbers in a body, `{"worker": 2}`. Throws `request:bad_parameter` and `request:too_large`. */
function countsIn(request: HttpRequest): Scale {
  const counts = Object.entries(fieldsIn(request, 64));
  const isCount = (one: [string, unknown]): one is [string, number | 'auto'] =>
    typeof one[1] === 'number' || one[1] === 'auto';
  if (counts.length > 0 && counts.every(isCount)) return Object.fromEntries(counts);
  throw badParameter('Send how many processes are to run as JSON: {"worker": 2}.');
}
