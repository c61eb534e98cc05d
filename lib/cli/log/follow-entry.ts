import { type Entry, followEntry as follow, hasEnded, idOf, numberOf, subjectOf } from '../../client/entry.ts';
import { printableValue } from '../../terminal/printable.ts';
import { type Call, EXIT } from '../command.ts';
import type { Api } from '../service/api.ts';
import { entryJson, reasonOf } from '../service/entry.ts';
import { EntryDrawing } from './entry-drawing.ts';

/**
 * Returns an entry once its deploy has ended. Meanwhile a terminal shows its stages and its build on standard error.
 */
export async function followEntry(call: Call, api: Api, begun: Pick<Entry, 'id'>): Promise<Entry> {
  const { stderr, env, signal } = call;
  const drawing = stderr.isTTY ? new EntryDrawing(api, stderr, { env }) : null;
  try {
    for await (const sent of follow(api.client, idOf(begun), signal)) {
      const entry = printableValue(sent);
      await drawing?.entry(entry);
      if (hasEnded(entry)) return entry;
    }
  } catch (error) {
    throw api.explain(error);
  } finally {
    drawing?.close();
  }
  throw signal.reason;
}

/**
 * Prints how a deploy has ended: `done` or its address on standard output, the reason of a failure on standard error.
 */
export function report(call: Call, entry: Entry, done?: string): number {
  const { args, print, warn, stderr } = call;
  const live = entry.status === 'ok';
  if (args.flag('json')) print(entryJson(entry));
  else if (live) print(done === undefined ? outcomeSentence(entry) : `#${numberOf(entry)} ${done}`);
  // A terminal has seen the reason below the stages.
  else if (!stderr.isTTY) for (const line of failureLines(entry)) warn(line);
  return live ? EXIT.ok : EXIT.failed;
}

/** Returns what has become of a deploy or an operation, with its address or reason. */
export function outcomeSentence(entry: Entry): string {
  const { status, doc } = entry;
  const subject = `#${numberOf(entry)} ${subjectOf(entry)}`;
  const operation = doc?.operation;
  if (operation === 'incident') return `${subject}: ${reasonOf(entry) || doc?.message}`;
  if (status !== 'ok') return `${subject} ${status}: ${reasonOf(entry)}`;
  if (operation === 'stop' || operation === 'remove') return `${subject}: ${operation} is done`;
  return `${subject} is live: ${entry.url ?? doc?.url ?? 'without an address'}`;
}

function failureLines(entry: Entry): readonly string[] {
  return [outcomeSentence(entry), ...(entry.doc?.log_tail ?? []).map((line) => `    ${line}`)];
}
