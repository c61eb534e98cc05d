import type { HttpAnswer, HttpRequest } from '../api/http.ts';
import { appRef, required } from '../core/app-ref.ts';
import { DeployError } from '../core/errors.ts';
import { isObject, parseJson } from '../core/json.ts';
import type { AppsPorts } from './ports.ts';

/** `POST …/runs`: starts a command in the release that is live. */
export async function startRun(request: HttpRequest, { runs }: AppsPorts): Promise<HttpAnswer> {
  const { command } = fieldsIn(request);
  const words: readonly unknown[] = Array.isArray(command) ? command : [];
  const isText = (word: unknown): word is string => typeof word === 'string';
  if (words.length === 0 || !words.every(isText)) throw refused('{"command": ["node", "scripts/seed.js"]}');
  return { status: 201, body: { id: required(await runs.start(appRef(request), words), request) } };
}

/** `POST …/runs/<run>`: sends input or a signal to it. */
export async function writeRun(request: HttpRequest, { runs }: AppsPorts): Promise<HttpAnswer> {
  const { data, end, signal } = fieldsIn(request);
  const known = SIGNALS.find((one) => one === signal);
  const isFine = (data === undefined || typeof data === 'string') && (end === undefined || typeof end === 'boolean');
  if (!isFine || (signal !== undefined && !known))
    throw refused('{"data": "<base64>", "end": true, "signal": "SIGINT"}');
  const input = { ...(data !== undefined && { data }), ...(end !== undefined && { end }) };
  const isThere = await runs.write(appRef(request), request.params.run ?? '', {
    ...input,
    ...(known && { signal: known }),
  });
  if (isThere) return { status: 204 };
  throw new DeployError('status:db:not_found', 'There is no such command any more.');
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT', 'SIGKILL'] as const;
const MAX_BODY_BYTES = 512 * 1024;

function fieldsIn({ body }: Pick<HttpRequest, 'body'>): Readonly<Record<string, unknown>> {
  if (body.byteLength > MAX_BODY_BYTES) throw new DeployError('request:too_large', 'The body has more than 512 KiB.');
  const json = parseJson(new TextDecoder().decode(body));
  return json.ok && isObject(json.value) ? json.value : {};
}

function refused(form: string): DeployError {
  return new DeployError('request:bad_parameter', `Send JSON like ${form}.`);
}
