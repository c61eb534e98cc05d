import { setTimeout } from 'node:timers/promises';
import { type Entry, hasEnded, idOf, numberOf, subjectOf } from '../../client/entry.ts';
import { type Call, EXIT } from '../command.ts';
import { type Api, Refusal } from '../service/api.ts';
import { entryJson, oneEntry, reasonOf } from '../service/entry.ts';
import { EntryDrawing } from './entry-drawing.ts';

const FIRST_PAUSE_MS = 150;
const LONGEST_PAUSE_MS = 1500;
const MAX_FAILURES = 5;

/**
 * Returns an entry once its deploy has ended. Meanwhile a terminal shows its stages and its build on standard error.
 */
export async function followEntry(call: Call, client: Api, begun: Pick<Entry, 'id'>): Promise<Entry> {
  const { stderr, env, signal } = call;
  const drawing = stderr.isTTY ? new EntryDrawing(client, stderr, { env }) : null;
  let failures = 0;
  try {
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 1.5, LONGEST_PAUSE_MS)) {
      const entry = await oneEntry(client, idOf(begun)).catch((error) => {
        failures += 1;
        const isFinalAnswer = error instanceof Refusal && error.status < 500 && error.status !== 429;
        if (signal.aborted || isFinalAnswer || failures > MAX_FAILURES) throw error;
      });
      if (entry) {
        failures = 0;
        await drawing?.entry(entry);
        if (hasEnded(entry)) return entry;
      }
      await setTimeout(pauseMs, undefined, { signal });
    }
  } finally {
    drawing?.close();
  }
}

/**
 * Prints how a deploy has ended: `done` or its address on standard output, the reason of a failure on standard error.
 */
export function report(call: Call, entry: Entry, done?: string): number {
  const { args, print, warn, stderr } = call;
  const live = entry.status === 'ok';
  if (args.flag('json')) print(entryJson(entry));
  else if (live) print(`#${numberOf(entry)} ${done ?? liveSentence(entry)}`);
  // A terminal has seen the reason below the stages.
  else if (!stderr.isTTY) for (const line of failureLines(entry)) warn(line);
  return live ? EXIT.ok : EXIT.failed;
}

function liveSentence(entry: Entry): string {
  return `${subjectOf(entry)} is live: ${entry.url ?? entry.doc?.url ?? 'without an address'}`;
}

function failureLines(entry: Entry): readonly string[] {
  const head = `#${numberOf(entry)} ${subjectOf(entry)} ${entry.status}: ${reasonOf(entry)}`;
  return [head, ...(entry.doc?.log_tail ?? []).map((line) => `    ${line}`)];
}
