import { setTimeout } from 'node:timers/promises';
import { progressLines } from '../../terminal/draw.ts';
import { isFinal, type ShownEntry } from '../../terminal/shown-entry.ts';

/** A deploy that a push has asked for. */
export interface FollowedPush {
  /** Address of its entry, as the webhook has answered it. */
  readonly entry: string;
  /** The webhook and its login, with which the entry is read. */
  readonly webhook: { readonly url: string; readonly user: string; readonly secret: string };
  readonly print: (line: string) => void;
  /** How long it is followed; ten minutes. */
  readonly limitMs?: number;
}

const LIMIT_MS = 10 * 60_000;
const TIMEOUT_MS = 10_000;
/** The pause between two looks; longer once the deploy is no quick one. */
const PAUSE_MS = 150;
const LONG_PAUSE_MS = 500;
const QUICK_MS = 15_000;
/** So many unanswered looks in a row, each after a long pause, mean that the service has stopped. */
const MAX_FAILURES = 6;

/**
 * Prints the stages of a deploy as they end, and then the address of the application, or why there is none. It resolves
 * when the deploy has ended, waits for CI, or takes longer than the limit; the last line then says how to see the rest.
 */
export async function follow({ entry, webhook, print, limitMs = LIMIT_MS }: FollowedPush): Promise<void> {
  const began = performance.now();
  let printed = 0;
  let failures = 0;
  for (;;) {
    const elapsedMs = performance.now() - began;
    const shown = await read(entry, webhook).catch(() => null);
    failures = shown === null ? failures + 1 : 0;
    const lines = shown === null ? [] : progressLines(shown);
    for (const line of lines.slice(printed)) print(line);
    printed = Math.max(printed, lines.length);
    if (shown !== null && hasEnded(shown)) return;
    if (failures >= MAX_FAILURES) {
      return print('The service does not answer any more. The deploy goes on at its next start (npm start).');
    }
    if (elapsedMs > limitMs) return print(`Not finished after ${inWords(limitMs)}; the deploy goes on: ${entry}`);
    await setTimeout(elapsedMs < QUICK_MS && failures === 0 ? PAUSE_MS : LONG_PAUSE_MS);
  }
}

/** `crashed` comes after `ok`: the application was live. */
function hasEnded(entry: ShownEntry): boolean {
  return isFinal(entry) || entry.status === 'held' || entry.status === 'crashed';
}

/**
 * The entry is read where the webhook is: its own address may be that of a proxy, which cannot be reached from here.
 */
async function read(entry: string, { url, user, secret }: FollowedPush['webhook']): Promise<ShownEntry> {
  const path = /\/1\/status\/[^/]+\/changes\/[^/?#]+/.exec(entry)?.[0] ?? '';
  const authorization = `Basic ${Buffer.from(`${user}:${secret}`).toString('base64')}`;
  const response = await fetch(new URL(`${path}?include_docs=true`, url), {
    headers: { authorization },
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  if (!response.ok) throw new Error(`The entry answered ${response.status}.`);
  return (await response.json()) as ShownEntry;
}

function inWords(milliseconds: number): string {
  const minutes = Math.round(milliseconds / 60_000);
  return minutes === 0 ? `${milliseconds / 1000} s` : `${minutes} min`;
}
