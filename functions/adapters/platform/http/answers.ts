import { isObject } from '../../../core/json.ts';
import type { Activation } from '../../../core/ports/platform.ts';
import { oneLine } from '../../../core/text.ts';

const MAX_LOG_LINES = 100;
const MAX_LINE_LENGTH = 1000;
const MAX_MESSAGE_LENGTH = 400;

/** Returns the message of the platform's `{ "error": "<message>" }`, or null. */
export function readErrorMessage(body: unknown): string | null {
  return isObject(body) ? messageIn(body.error) : null;
}

function messageIn(field: unknown): string | null {
  return typeof field === 'string' ? oneLine(field, MAX_MESSAGE_LENGTH) : null;
}

/** Returns the last lines of the platform's `log`, which is a list of lines or one string. */
export function readLog(body: unknown): readonly string[] {
  const log = isObject(body) ? body.log : undefined;
  const lines = typeof log === 'string' ? log.trimEnd().split(/\r?\n/) : Array.isArray(log) ? log : [];
  return lines
    .filter((line): line is string => typeof line === 'string' && line !== '')
    .slice(-MAX_LOG_LINES)
    .map((line) => line.slice(0, MAX_LINE_LENGTH));
}

/** Returns the state of a snapshot, or null when the body has none. `pending` (not started) counts as building. */
export function readActivation(body: unknown): Activation | null {
  if (!isObject(body)) return null;
  const { state } = body;
  if (state === 'pending' || state === 'building') return { state: 'building' };
  const warnings = Array.isArray(body.warnings) && state === 'ready' ? body.warnings : [];
  const said = [body.note, ...warnings].flatMap((one) => messageIn(one) ?? []);
  const note = said.length === 0 ? null : said.join(' ');
  if (state === 'ready') return { state, ...(note !== null && { note }) };
  if (state !== 'failed') return null;
  const reason = messageIn(body.reason) ?? 'The platform does not say why.';
  return { state, reason: note === null ? reason : `${reason} ${note}`, log: readLog(body) };
}

export function readUrl(body: unknown): string | null {
  const url = isObject(body) ? body.url : undefined;
  return typeof url === 'string' && URL.canParse(url) && /^https?:/i.test(url) ? url : null;
}

/** Returns the seconds of a `Retry-After` header (a number or a date), or undefined when it cannot be read. */
export function readRetryAfter(header: string | null, now: number): number | undefined {
  if (header === null) return undefined;
  if (/^\d{1,9}$/.test(header.trim())) return Number(header);
  const retryAt = Date.parse(header);
  return Number.isNaN(retryAt) ? undefined : Math.max(0, Math.ceil((retryAt - now) / 1000));
}
