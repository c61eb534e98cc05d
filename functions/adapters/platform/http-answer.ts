import { isObject } from '../../core/json.ts';
import type { Activation } from '../../core/ports/hosting-platform.ts';
import { oneLine } from '../../core/text.ts';

const tailLines = 100;
const lineLength = 1000;
const sentenceLength = 400;

/** The JSON value of a body, undefined when it is none. */
export function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The platform's `{ "error": "<sentence>" }`, or null. */
export function readSentence(body: unknown): string | null {
  return isObject(body) && typeof body.error === 'string' ? oneLine(body.error, sentenceLength) : null;
}

/** The last lines of the platform's `log`, which is a list of lines or one text. */
export function readLog(body: unknown): readonly string[] {
  const log = isObject(body) ? body.log : undefined;
  const lines = typeof log === 'string' ? log.trimEnd().split(/\r?\n/) : Array.isArray(log) ? log : [];
  return lines
    .filter((line): line is string => typeof line === 'string' && line !== '')
    .slice(-tailLines)
    .map((line) => line.slice(0, lineLength));
}

/** How far a snapshot is, or null when the body does not say. `pending` has not begun, which is no end either. */
export function readActivation(body: unknown): Activation | null {
  if (!isObject(body)) return null;
  const { state, reason } = body;
  if (state === 'pending' || state === 'building') return { state: 'building' };
  if (state === 'ready') return { state };
  if (state !== 'failed') return null;
  const sentence = typeof reason === 'string' ? oneLine(reason, sentenceLength) : null;
  return { state, reason: sentence ?? 'The platform does not say why.', log: readLog(body) };
}

/** Where an application answers, or null. */
export function readUrl(body: unknown): string | null {
  const url = isObject(body) ? body.url : undefined;
  return typeof url === 'string' && URL.canParse(url) && /^https?:/i.test(url) ? url : null;
}

/** The seconds of a `Retry-After`, which is a number or a date; undefined when there is none that can be read. */
export function readRetryAfter(header: string | null, now: number): number | undefined {
  if (header === null) return undefined;
  if (/^\d{1,9}$/.test(header.trim())) return Number(header);
  const at = Date.parse(header);
  return Number.isNaN(at) ? undefined : Math.max(0, Math.ceil((at - now) / 1000));
}
