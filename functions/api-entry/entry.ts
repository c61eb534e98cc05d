import { dispatch } from '../api/dispatch.ts';
import type { HttpAnswer, HttpRequest } from '../api/http.ts';
import { includeDocs, oneOf } from '../api/parameters.ts';
import { row } from '../api/views.ts';
import { type Entry, entryAddress, isFinal } from '../core/entry/entry.ts';
import { findEntry } from '../core/entry/find.ts';
import { appOf } from '../core/entry/snapshot.ts';
import { DeployError } from '../core/errors.ts';
import { type HoldPorts, releaseByHand } from '../core/hold/hold.ts';
import { endDeploy } from '../core/pipeline/end-deploy.ts';
import { type OverruledPorts, overruledReason, overrulerOf } from '../core/pipeline/overruled.ts';
import type { DeployLog } from '../core/ports/log.ts';

export interface EntryPorts extends HoldPorts, OverruledPorts {
  readonly log: Pick<DeployLog, 'read' | 'move'>;
}

/** An entry changes until it ends, and after that when its application crashes. */
const NO_CACHE = { 'cache-control': 'no-cache' };

/** Returns what is done with an entry. An unknown id, or another user's, is `status:db:not_found`. */
export const entry = dispatch('api-entry', {
  'GET /1/status/{user}/changes/{id}': show,
  'POST /1/status/{user}/changes/{id}/release': release,
  'POST /1/status/{user}/changes/{id}/cancel': cancel,
});

function entryIn({ user, params }: HttpRequest, { log }: EntryPorts): Promise<Entry> {
  return findEntry(log, user, params.id ?? '');
}

async function show(request: HttpRequest, ports: EntryPorts): Promise<HttpAnswer> {
  const { query, base } = request;
  const body = row(await entryIn(request, ports), { base, docs: oneOf(query, includeDocs) });
  return { status: 200, headers: NO_CACHE, body };
}

/**
 * Lets a held deploy go without its CI. `202` with the entry, which deploys now; `200` with the entry unchanged when it
 * is not held, so that a second call does no harm. Throws `request:conflict` when an operation has overruled it.
 */
async function release(request: HttpRequest, ports: EntryPorts): Promise<HttpAnswer> {
  const asked = await entryIn(request, ports);
  const isHeld = asked.status === 'held';
  const overruler = isHeld && asked.appName ? await overrulerOf(appOf(asked), asked.number, ports) : null;
  if (overruler) throw new DeployError('request:conflict', overruledReason(asked, overruler));
  const released = isHeld ? await releaseByHand(asked, ports, request.token?.name) : null;
  // Between the two reads CI may have called, or the hold may have expired.
  return answer(released ? 202 : 200, released ?? (await entryIn(request, ports)), request.base);
}

/** Ends a queued, held or running deploy: `202` with the entry. Throws `request:conflict` when that is not possible. */
async function cancel(request: HttpRequest, ports: EntryPorts): Promise<HttpAnswer> {
  const asked = await entryIn(request, ports);
  const by = request.token ? `${request.user} (token ${request.token.name})` : request.user;
  const end = { status: 'cancelled', reason: `Cancelled by ${by}.` } as const;
  const { entry: after, isEnded } = (await endDeploy(asked, end, ports)) ?? { entry: asked, isEnded: false };
  if (!isEnded) throw new DeployError('request:conflict', whyNot(after));
  return answer(202, after, request.base);
}

function whyNot({ number, status }: Entry): string {
  if (isFinal(status)) return `#${number} has ended already: it is ${status}.`;
  return `#${number} is ${status}, and its application is being started. Wait for the end, then stop it or roll back.`;
}

function answer(status: number, entry: Entry, base: string): HttpAnswer {
  const headers = { ...NO_CACHE, location: entryAddress(base, entry) };
  return { status, headers, body: row(entry, { base, docs: 'false' }) };
}
