import { appendRequest, blankDraft } from '../entry/draft.ts';
import type { Entry } from '../entry/entry.ts';
import type { Kind, Operation } from '../entry/kinds.ts';
import { MANUAL } from '../entry/providers.ts';
import { queueStage } from '../pipeline/queue-stage.ts';
import { storeEntry } from '../pipeline/store-entry.ts';
import type { UsedToken } from '../ports/accounts.ts';
import type { AppendRequest, DeployLog, Draft, DraftFields } from '../ports/log.ts';
import type { JobQueue } from '../ports/stages.ts';
import type { Clock, Trace } from '../ports/system.ts';
import type { FoundApp } from './found-app.ts';

/** What stores an entry and queues it. */
export interface StorePorts {
  readonly clock: Pick<Clock, 'now'>;
  readonly trace: Trace;
  readonly log: Pick<DeployLog, 'append'>;
  readonly queue: Pick<JobQueue, 'send'>;
}

type ManualRequest = Pick<Draft, 'user' | 'uuid' | 'base'> & { readonly token?: UsedToken };

type ManualDraft = Pick<DraftFields, 'appName' | 'stage'> & Partial<DraftFields> & Kind;

type Effects = Partial<Pick<AppendRequest, 'isNewestPush' | 'overrules'>>;

/** Stores an entry of the provider `manual` and queues its first stage. Throws `deploy:db:failed_to_store_payload`. */
export async function recorded(
  { user, uuid, base, token }: ManualRequest,
  draft: ManualDraft,
  effects: Effects,
  ports: StorePorts,
): Promise<Entry> {
  const by = { user, uuid, base, token: token?.name, provider: MANUAL };
  const manual = blankDraft({ ...by, receivedAt: ports.clock.now(), ...draft });
  const { entry, failure } = await storeEntry('request', () => append(manual, effects, ports));
  await queueStage(entry, ports);
  if (failure) throw failure;
  return entry;
}

/** Returns the commit of an entry; nothing without one. */
export function commitOf(entry: Entry | null): Partial<DraftFields> {
  if (!entry) return {};
  const { repository, sha, branch, ref, path, environment, message, author } = entry;
  return { repository, sha, branch, ref, path, environment, message, author };
}

/** Returns the draft of an operation on an application, about the commit of an entry if there is one. */
export function operationOn<O extends Operation>(operation: O, appName: string, entry: Entry | null) {
  const { pullRequest } = entry ?? {};
  return { ...commitOf(entry), pullRequest, kind: 'operation', operation, appName, stage: 'start' } as const;
}

/** Returns the draft of an operation on what an application runs. */
export function operationOnRunning({ app, name, active }: FoundApp, operation: 'restart' | 'stop') {
  return { ...operationOn(operation, name, active), snapshot: app.snapshot };
}

async function append(draft: Draft, effects: Effects, { log }: StorePorts): Promise<Entry> {
  const origin = { operation: draft.operation ?? 'deploy', application: draft.appName, commit: draft.sha };
  const result = await log.append(appendRequest(draft, origin, effects));
  if ('entry' in result) return result.entry;
  throw new Error('An entry without a delivery id cannot be a duplicate.');
}
