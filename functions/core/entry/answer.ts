import { problem } from '../errors.ts';
import type { DeployLog } from '../ports/log.ts';
import type { Clock } from '../ports/system.ts';
import { type Entry, entryAddress, isFinal, pageAddress } from './entry.ts';
import { row } from './views.ts';

interface EntryAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

/** The pause between two reads of an entry whose outcome a client waits for. */
const POLL_PAUSE_MS = 150;

/** Returns the answer to a hook: `202` for an unfinished deploy, `200` for an entry that has ended. */
export function accepted(entry: Entry): EntryAnswer {
  const headers = addressesOf(entry);
  return { status: isFinal(entry.status) ? 200 : 202, headers, body: row(entry, { base: entry.base, docs: 'false' }) };
}

/**
 * Returns the answer to a hook that waits for the outcome, up to `seconds` after its arrival. A failed deploy is
 * answered with its code. A database that fails during the wait is ignored, because the hook is already stored.
 */
export async function awaited(
  entry: Entry,
  seconds: number,
  { log, clock }: { readonly log: Pick<DeployLog, 'read'>; readonly clock: Clock },
): Promise<EntryAnswer> {
  const end = entry.receivedAt + seconds * 1000;
  let seen = entry;
  while (!isFinal(seen.status) && seen.status !== 'held' && clock.now() + POLL_PAUSE_MS <= end) {
    await clock.sleep(POLL_PAUSE_MS);
    seen = (await log.read(entry.user, entry.number).catch(() => null)) ?? seen;
  }
  const answer = outcome(seen, entry);
  return { ...answer, headers: { ...answer.headers, 'preference-applied': `wait=${seconds}` } };
}

function outcome(entry: Entry, request: Pick<Entry, 'base' | 'uuid'>): EntryAnswer {
  if (!entry.error) return accepted(entry);
  const { code, status, detail } = entry.error;
  const headers = { 'content-type': 'application/problem+json', ...addressesOf(entry) };
  return { status, headers, body: problem(code, detail, request) };
}

/** The address of the entry for programs, and (RFC 8288) that of its page for people. */
function addressesOf(entry: Entry): Readonly<Record<'location' | 'link', string>> {
  const page = `<${pageAddress(entry.base, entry)}>; rel="alternate"; type="text/html"`;
  return { location: entryAddress(entry.base, entry), link: page };
}
