import { recorded, type StorePorts } from '../core/apps/record.ts';
import { type Entry, entryAddress, isFinal, pageAddress } from '../core/entry/entry.ts';
import { problem } from '../core/errors.ts';
import { type LeasePorts, releaseLease } from '../core/limits/leased-stream.ts';
import type { DeployLog } from '../core/ports/log.ts';
import type { Clock } from '../core/ports/system.ts';
import type { HttpAnswer, HttpRequest } from './http.ts';
import { row } from './views.ts';

type EntryAnswer = Required<HttpAnswer>;

/** The pause between two reads of an entry whose outcome a client waits for. */
const POLL_PAUSE_MS = 150;

/** Returns the answer to a hook: `202` for an unfinished deploy, `200` for an entry that has ended. */
export function accepted(entry: Entry): EntryAnswer {
  const headers = addressesOf(entry);
  return { status: isFinal(entry.status) ? 200 : 202, headers, body: row(entry, { base: entry.base, docs: 'false' }) };
}

export interface WaitPorts extends Pick<LeasePorts, 'leases' | 'trace'> {
  readonly log: Pick<DeployLog, 'read'>;
  readonly clock: Clock;
}

/** Returns the answer with an entry: at once or, with `Prefer: wait`, with the outcome. */
export async function answerOf(
  entry: Entry,
  { headers }: Pick<HttpRequest, 'headers'>,
  ports: WaitPorts,
): Promise<EntryAnswer> {
  const wait = preferredWait(headers.prefer);
  return wait === null ? accepted(entry) : awaited(entry, wait, ports);
}

export type RecordPorts = StorePorts & WaitPorts;

/** Stores the entry of an operation, as `recorded` does, and returns the answer with it, as a webhook call gets one. */
export async function record(
  request: HttpRequest,
  draft: Parameters<typeof recorded>[1],
  effects: Parameters<typeof recorded>[2],
  ports: RecordPorts,
): Promise<HttpAnswer> {
  return answerOf(await recorded(request, draft, effects, ports), request, ports);
}

/** The longest wait: API Gateway times out after 29 seconds. */
const MAX_WAIT_SECONDS = 25;

/** Returns the seconds of `Prefer: wait=N` (RFC 7240), at most 25; null without that preference. */
export function preferredWait(header: string | undefined): number | null {
  const wait = header
    ?.split(',')
    .map((preference) => /^\s*wait\s*=\s*"?(\d+)"?\s*(?:;.*)?$/i.exec(preference)?.[1])
    .find((value) => value !== undefined);
  return wait === undefined ? null : Math.min(Number(wait), MAX_WAIT_SECONDS);
}

/**
 * Returns the answer to a hook that waits for the outcome, up to `seconds` after its arrival. A failed deploy is
 * answered with its code. A wait takes a slot of the streams, because it occupies a function like one; where none is
 * free, the answer is at once that of a time that was too short.
 */
export async function awaited(entry: Entry, seconds: number, ports: WaitPorts): Promise<EntryAnswer> {
  const seen = hasOutcome(entry) ? entry : await waitInSlot(entry, entry.receivedAt + seconds * 1000, ports);
  const answer = outcome(seen, entry);
  return { ...answer, headers: { ...answer.headers, 'preference-applied': `wait=${seconds}` } };
}

/** Whether there is nothing to wait for. */
function hasOutcome({ status }: Entry): boolean {
  return isFinal(status) || status === 'held';
}

/** A database that fails is ignored, because the hook is already stored. */
async function waitInSlot(entry: Entry, until: number, ports: WaitPorts): Promise<Entry> {
  const lease = await ports.leases.acquire(entry.user, until).catch(() => null);
  if (lease === null || !('id' in lease)) return entry;
  try {
    return await wait(entry, until, ports);
  } finally {
    await releaseLease(lease, ports, entry.uuid);
  }
}

async function wait(entry: Entry, until: number, { log, clock }: WaitPorts): Promise<Entry> {
  let seen = entry;
  while (!hasOutcome(seen) && clock.now() + POLL_PAUSE_MS <= until) {
    await clock.sleep(POLL_PAUSE_MS);
    seen = (await log.read(entry.user, entry.number).catch(() => null)) ?? seen;
  }
  return seen;
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
