import { DeployError } from '../../../../core/errors.ts';
import { isObject, parseJson } from '../../../../core/json.ts';
import { requiredText } from '../../provider/answers.ts';
import { textLines } from '../../provider/text-lines.ts';
import type { ScalingoParts } from '../parts.ts';

const CODE = 'request:failed';
const READ_TIMEOUT_MS = 10_000;
/** Enough for the lines around a crash. */
const LAST_LINES = 1000;

type LogParts = Pick<ScalingoParts, 'api' | 'fetch'>;

/** A line of an app's log: `2026-01-01 12:00:00.123456789 +0000 UTC [web-1] listening`. */
export interface LogLine {
  /** RFC 3339, in UTC. */
  readonly at: string;
  /** A container (`web-1`), or a part of Scalingo itself: `manager`, `router`. */
  readonly source: string;
  readonly line: string;
}

/** Whether a line is the application's own. */
export function isOwn({ source }: LogLine): boolean {
  return /^[A-Za-z][A-Za-z0-9]*(?:-[a-z]+)?-\d+$/.test(source);
}

/** Returns the last lines of an app's log, oldest first. Scalingo does not keep their order. */
export async function lastLogLines(
  run: string,
  parts: LogParts,
  lines: number = LAST_LINES,
): Promise<readonly LogLine[]> {
  const address = await logAddress(run, { n: String(lines) }, parts);
  const all: LogLine[] = [];
  for await (const batch of read(address, AbortSignal.timeout(READ_TIMEOUT_MS), parts)) {
    all.push(...batch.flatMap((line) => logLineIn(line) ?? []));
  }
  return all.sort((one, other) => Date.parse(one.at) - Date.parse(other.at));
}

/** Yields the last lines, and then new ones as they arrive. https://developers.scalingo.com/logs */
export async function* followLog(
  run: string,
  { lines, signal }: { readonly lines: number; readonly signal: AbortSignal },
  parts: LogParts,
): AsyncGenerator<readonly LogLine[]> {
  const address = await logAddress(run, { n: String(lines), stream: 'true' }, parts);
  for await (const batch of read(address, signal, parts)) {
    yield batch.flatMap(eventText).flatMap((line) => logLineIn(line) ?? []);
  }
}

/** Returns the address of a log, which contains a secret, so no error quotes it. */
async function logAddress(run: string, query: Readonly<Record<string, string>>, { api }: LogParts): Promise<URL> {
  const path = ['apps', run, 'logs'];
  const { body } = await api({ method: 'GET', path, code: CODE, what: 'the output of the application' });
  const text = requiredText(body, 'logs_url', CODE);
  if (!URL.canParse(text)) throw unreadable();
  const address = new URL(text);
  for (const [name, value] of Object.entries(query)) address.searchParams.set(name, value);
  return address;
}

async function* read(address: URL, signal: AbortSignal, { fetch }: LogParts): AsyncGenerator<readonly string[]> {
  try {
    const response = await fetch(address, { signal, headers: { accept: 'text/event-stream, text/plain' } });
    // An app that has never run has no log.
    if (response.status === 204 || response.status === 404) return void (await response.body?.cancel());
    if (!response.ok || !response.body) throw new Error(`The log answered ${response.status}.`);
    yield* textLines(response.body);
  } catch {
    if (signal.aborted) return;
    throw unreadable();
  }
}

function unreadable(): DeployError {
  return new DeployError(CODE, 'Scalingo did not give the output of the application; try again.', { retry: true });
}

/** Returns the lines in a server-sent event: `data: {"name": "log", "log": "…"}`. Others keep the connection open. */
function eventText(line: string): readonly string[] {
  const parsed = line.startsWith('data:') ? parseJson(line.slice('data:'.length)) : null;
  const text = parsed?.ok && isObject(parsed.value) ? parsed.value.log : undefined;
  return typeof text === 'string' ? text.split('\n') : [];
}

function logLineIn(text: string): LogLine | null {
  const [, day, time, hours = '+00', minutes = '00', source, line] =
    /^(\d{4}-\d\d-\d\d) ([\d:]{8}(?:\.\d+)?) ([+-]\d\d)(\d\d) \w+ \[([^\]]+)\] ?(.*)$/.exec(text) ?? [];
  const at = Date.parse(`${day}T${time}${hours}:${minutes}`);
  if (source === undefined || line === undefined || Number.isNaN(at)) return null;
  return { at: new Date(at).toISOString(), source, line };
}
