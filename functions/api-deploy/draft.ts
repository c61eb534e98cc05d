import { blankDraft } from '../core/entry/draft.ts';
import type { Entry } from '../core/entry/entry.ts';
import type { CiChoice, Kind } from '../core/entry/kinds.ts';
import type { Delivery } from '../core/payload/delivery.ts';
import type { Draft, DraftFields } from '../core/ports/log.ts';
import type { HookDecision } from './decision.ts';
import type { HookOptions } from './hook-options.ts';

/** The properties of the request that its entries keep. */
export interface RequestContext {
  readonly user: string;
  readonly uuid: string;
  readonly base: string;
  /** The name of the API token. */
  readonly token?: string | undefined;
  /** Milliseconds since 1970. */
  readonly at: number;
}

interface Asked extends Pick<HookOptions, 'previewCi'> {
  readonly ci: CiChoice | undefined;
}

interface HookContext extends Asked, Pick<HookOptions, 'path' | 'environment'> {
  /** The configured name of the repository host. */
  readonly host: string | null;
}

export function draftOf(
  delivery: Delivery,
  { host, path, environment, ...asked }: HookContext,
  decision: HookDecision,
  context: RequestContext,
): Draft {
  const { user, uuid, base, token, at } = context;
  return blankDraft({
    user,
    uuid,
    base,
    token,
    provider: delivery.provider,
    stage: 'check',
    receivedAt: at,
    ...described(delivery, host),
    ...kindOf(delivery, asked),
    delivery: delivery.id,
    reason: decision.reason,
    ...(!decision.deploys && { status: 'skipped', finishedAt: at }),
    path,
    environment,
  });
}

function kindOf(delivery: Delivery, { ci, previewCi }: Asked): Kind {
  if (delivery.kind === 'build') return { kind: 'build' };
  if (delivery.kind !== 'pull') {
    const skipsCi = delivery.kind === 'push' ? delivery.skip?.providers : undefined;
    return { kind: 'push', ci, skipsCi };
  }
  const { number, fromFork, source, closed } = delivery;
  const pullRequest = { number, fromFork: fromFork || undefined, source, ci: previewCi };
  if (closed) return { kind: 'operation', operation: 'remove', pullRequest: { ...pullRequest, closed } };
  return { kind: 'preview', pullRequest, ci };
}

function described(delivery: Delivery, host: string | null): Partial<DraftFields> {
  const repository = repositoryOf(delivery, host);
  if (delivery.kind === 'notice') return { repository };
  const { sha, branch, author } = delivery;
  if (delivery.kind === 'build') return { repository, sha, branch, message: delivery.message, author };
  if (delivery.kind === 'pull') {
    return { repository, sha, branch, before: delivery.before, message: delivery.title, author };
  }
  const { ref, before, forced, message } = delivery;
  return { repository, sha, branch, ref, before, forced, message, author };
}

function repositoryOf({ repository }: Delivery, host: string | null): Entry['repository'] {
  if (!repository || !host) return null;
  const { owner, name, id, url, private: isPrivate } = repository;
  return { host, owner, name, ...(id !== undefined && { id }), url, private: isPrivate };
}
