import type { HttpAnswer, HttpRequest } from '../api/http.ts';
import { appRef, required } from '../core/app-ref.ts';
import { DeployError } from '../core/errors.ts';
import { isObject, parseJson } from '../core/json.ts';
import { type RunTerminal, runTerminalIn, TERMINAL_FORM } from '../core/output/run-terminal.ts';
import type { AppsPorts } from './ports.ts';

/** `POST …/runs`: starts a command in the release that is live. */
export async function startRun(request: HttpRequest, { runs }: AppsPorts): Promise<HttpAnswer> {
  const { command, ...fields } = fieldsIn(request, MAX_BODY_KIB);
  const words: readonly unknown[] = Array.isArray(command) ? command : [];
  const isText = (word: unknown): word is string => typeof word === 'string';
  if (words.length === 0 || !words.every(isText)) throw refused('{"command": ["node", "scripts/seed.js"]}');
  const terminal = terminalIn(fields);
  const started = await runs.start(appRef(request), { command: words, ...(terminal && { terminal }) });
  return { status: 201, body: required(started, request) };
}

/** `POST …/runs/<run>`: sends input or a signal to it. */
export async function writeRun(request: HttpRequest, { runs }: AppsPorts): Promise<HttpAnswer> {
  const { data, end, signal, ...fields } = fieldsIn(request, MAX_BODY_KIB);
  const known = SIGNALS.find((one) => one === signal);
  const isFine = (data === undefined || typeof data === 'string') && (end === undefined || typeof end === 'boolean');
  if (!isFine || (signal !== undefined && !known))
    throw refused('{"data": "<base64>", "end": true, "signal": "SIGINT"}');
  const terminal = terminalIn(fields);
  const input = { ...(data !== undefined && { data }), ...(end !== undefined && { end }) };
  const isThere = await runs.write(appRef(request), request.params.run ?? '', {
    ...input,
    ...(known && { signal: known }),
    ...(terminal && { terminal }),
  });
  if (isThere) return { status: 204 };
  throw new DeployError('status:db:not_found', 'There is no such command any more.');
}

function terminalIn({ terminal }: { readonly terminal?: unknown }): RunTerminal | undefined {
  const found = terminal === undefined ? undefined : runTerminalIn(terminal);
  if (found === null) throw refused(`{"terminal": ${TERMINAL_FORM}}`);
  return found;
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT', 'SIGKILL'] as const;
const MAX_BODY_KIB = 512;

/** Returns the object in a body; an empty one for any other body. Throws `request:too_large`. */
export function fieldsIn({ body }: HttpRequest, maxKiB: number): Readonly<Record<string, unknown>> {
  if (body.byteLength > maxKiB * 1024) {
    throw new DeployError('request:too_large', `The body has more than ${maxKiB} KiB.`);
  }
  const json = parseJson(new TextDecoder().decode(body));
  return json.ok && isObject(json.value) ? json.value : {};
}

function refused(form: string): DeployError {
  return new DeployError('request:bad_parameter', `Send JSON like ${form}.`);
}
