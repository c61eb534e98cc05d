import type { CiChoice, Entry } from '../core/entry/entry.ts';
import type { Delivery, PullRequest } from '../core/payload/delivery.ts';
import { stages } from '../core/pipeline/pipeline.ts';
import type { Draft } from '../core/ports/log.ts';
import type { HookDecision } from './decision.ts';

/** The properties of the request that its entries keep. */
export interface RequestContext {
  readonly user: string;
  readonly uuid: string;
  readonly base: string;
  /** Milliseconds since 1970. */
  readonly at: number;
}

/** The context of a delivery: the hook's request and options. */
interface HookContext {
  /** The configured name of the repository host. */
  readonly host: string | null;
  readonly ci: CiChoice | null;
  /** The folder of the application in the repository; absent for the root. */
  readonly path?: string | undefined;
  readonly environment?: string | undefined;
  /** Whether its pull request gets a comment. */
  readonly comment?: true | undefined;
  readonly previewCi?: true | undefined;
}

/** Returns the new entry of a delivery. */
export function draftOf(
  delivery: Delivery,
  { host, ci, path, environment, ...asked }: HookContext,
  decision: HookDecision,
  context: RequestContext,
): Draft {
  const { user, uuid, base, at } = context;
  return {
    user,
    uuid,
    base,
    ...described(delivery, host),
    provider: delivery.provider,
    delivery: delivery.id,
    appName: null,
    status: decision.deploys ? 'queued' : 'skipped',
    reason: decision.reason,
    receivedAt: at,
    updatedAt: at,
    finishedAt: decision.deploys ? null : at,
    error: null,
    stages: [],
    snapshot: null,
    url: null,
    logTail: [],
    stage: stages[0]?.name ?? 'check',
    ...(delivery.kind === 'pull' && previewed(delivery, asked)),
    tarball: null,
    manifest: null,
    fromBuild: delivery.kind === 'build',
    ...(ci && { ci }),
    ...(path !== undefined && { path }),
    ...(environment !== undefined && { environment }),
    ...(delivery.kind === 'push' && delivery.skip?.providers && { skipsCi: delivery.skip.providers }),
  };
}

/** Nobody shows the operation of a removal as a deploy. */
function previewed(
  { number, fromFork, source, closed }: PullRequest,
  { comment, previewCi }: Pick<HookContext, 'comment' | 'previewCi'>,
): Pick<Draft, 'pullRequest' | 'operation'> {
  const fork = { ...(fromFork && { fromFork }), ...(source !== undefined && { source }) };
  const asked = { ...(comment && { comment }), ...(previewCi && { ci: previewCi }) };
  const pullRequest = { number, ...fork, ...(closed && { closed }), ...asked };
  return { pullRequest, ...(closed && { operation: 'remove' }) };
}

type Described = Pick<Entry, 'repository' | 'sha' | 'branch' | 'ref' | 'before' | 'forced' | 'message' | 'author'>;

function described(delivery: Delivery, host: string | null): Described {
  const nothing = { sha: null, branch: null, ref: null, before: null, forced: false, message: null, author: null };
  const repository = repositoryOf(delivery, host);
  if (delivery.kind === 'notice') return { ...nothing, repository };
  if (delivery.kind === 'pull') {
    const { sha, branch, before, title, author } = delivery;
    return { repository, sha, branch, ref: null, before, forced: false, message: title, author };
  }
  const { sha, branch, message, author } = delivery;
  if (delivery.kind === 'build') return { ...nothing, repository, sha, branch, message, author };
  return {
    repository,
    sha,
    branch,
    message,
    author,
    ref: delivery.ref,
    before: delivery.before,
    forced: delivery.forced,
  };
}

function repositoryOf({ repository }: Delivery, host: string | null): Entry['repository'] {
  if (!repository || !host) return null;
  const { owner, name, id, url, private: isPrivate } = repository;
  return { host, owner, name, ...(id !== undefined && { id }), url, private: isPrivate };
}
