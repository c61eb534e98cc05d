import type { HttpAnswer, HttpRequest } from '../api/http.ts';
import { accepted, awaited } from '../core/entry/answer.ts';
import { blankDraft } from '../core/entry/draft.ts';
import { type Entry, MANUAL } from '../core/entry/entry.ts';
import { preferredWait } from '../core/parameters.ts';
import { SWEEP_AFTER_MS } from '../core/pipeline/pipeline.ts';
import { queueStage } from '../core/pipeline/queue-stage.ts';
import { storeEntry } from '../core/pipeline/store-entry.ts';
import type { AppendRequest, Draft } from '../core/ports/log.ts';
import type { AppsPorts } from './ports.ts';

type RecordPorts = Pick<AppsPorts, 'log' | 'queue' | 'clock' | 'trace' | 'leases'>;

type ManualDraft = Pick<Draft, 'appName' | 'stage'> & Partial<Draft>;

type Effects = Partial<Pick<AppendRequest, 'isNewestPush' | 'overrules'>>;

/**
 * Stores an entry of the provider `manual`, queues its first stage, and answers with it as a webhook call is answered:
 * `202`, or with `Prefer: wait` the outcome. Throws `deploy:db:failed_to_store_payload`.
 */
export async function record(
  request: HttpRequest,
  draft: ManualDraft,
  effects: Effects,
  ports: RecordPorts,
): Promise<HttpAnswer> {
  const entry = await recorded(request, draft, effects, ports);
  const wait = preferredWait(request.headers.prefer);
  return wait === null ? accepted(entry) : awaited(entry, wait, ports);
}

/** Stores the entry and queues its first stage, as `record` does. Returns the entry. */
export async function recorded(
  request: HttpRequest,
  draft: ManualDraft,
  effects: Effects,
  ports: RecordPorts,
): Promise<Entry> {
  const manualDraft = manual(request, draft, ports.clock.now());
  const { entry, failure } = await storeEntry('request', () => append(manualDraft, effects, ports));
  await queueStage(entry, ports);
  if (failure) throw failure;
  return entry;
}

/** Returns the commit of an entry; nothing without one. */
export function commitOf(entry: Entry | null): Partial<Draft> {
  if (!entry) return {};
  const { repository, sha, branch, ref, path, environment, pullRequest, message, author } = entry;
  const place = {
    ...(path !== undefined && { path }),
    ...(environment !== undefined && { environment }),
    ...(pullRequest && { pullRequest }),
  };
  return { repository, sha, branch, ref, ...place, message, author };
}

function manual({ user, uuid, base }: HttpRequest, draft: ManualDraft, at: number): Draft {
  return blankDraft({ user, uuid, base, provider: MANUAL, receivedAt: at, ...draft });
}

async function append(draft: Draft, effects: Effects, { log }: RecordPorts): Promise<Entry> {
  const said = { operation: draft.operation ?? 'deploy', application: draft.appName, commit: draft.sha };
  const result = await log.append({
    draft,
    payload: new TextEncoder().encode(JSON.stringify(said)),
    dueAt: draft.receivedAt + SWEEP_AFTER_MS,
    ...effects,
  });
  if ('entry' in result) return result.entry;
  throw new Error('An entry without a delivery id cannot be a duplicate.');
}
