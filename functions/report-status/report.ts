import { nameFor } from '../core/entry/app-owner.ts';
import { type Entry, isAlive, isFinal, pageAddress, tarballKey } from '../core/entry/entry.ts';
import { commitStatusOf, descriptionOf, isNeedless } from '../core/entry/outcome.ts';
import { appOf, snapshotOf } from '../core/entry/snapshot.ts';
import { isOnBranch, trackOf } from '../core/entry/track.ts';
import { DeployError } from '../core/errors.ts';
import { statusToken, type TokenAccess } from '../core/host-tokens.ts';
import { UNKNOWN_MS } from '../core/pipeline/host-away.ts';
import type { Job } from '../core/pipeline/job.ts';
import type { CommitFacts } from '../core/ports/facts.ts';
import type { Backlog, LogReader } from '../core/ports/log.ts';
import type { HostingPlatform } from '../core/ports/platform.ts';
import type { CommitStatus, RepositoryHost } from '../core/ports/repository-host.ts';
import type { TarballStore } from '../core/ports/stages.ts';
import type { Clock } from '../core/ports/system.ts';

interface ReportPorts extends TokenAccess {
  readonly log: Pick<LogReader, 'read'>;
  readonly facts: Pick<CommitFacts, 'commitState'>;
  readonly host: (name: string) => RepositoryHost;
  readonly platform: Pick<HostingPlatform, 'cancel' | 'prune'>;
  readonly tarballs: Pick<TarballStore, 'remove'>;
  readonly backlog: Pick<Backlog, 'close'>;
  readonly clock: Clock;
}

/** Posts for one message, when the entry changes during each of them. */
const MAX_POSTS = 3;

/**
 * Sets the commit status to the current status of the entry, or of the one that has deployed the same commit since, so
 * that late and repeated messages have no effect; without a stored token it sets none. An entry that has ended is closed
 * then: its build is ended, its staged tarball removed, and the sweeper looks at it no more. Throws what the host and the
 * platform throw; the sweeper has what can succeed later reported again.
 */
export async function report({ user, number }: Job, ports: ReportPorts): Promise<void> {
  const entry = await ports.log.read(user, number);
  if (!entry) return;
  // Beside each other: a host that does not answer leaves no build and no tarball, and a platform delays no status.
  const [ended, told] = await Promise.allSettled([end(entry, ports), tellHost(entry, ports)]);
  if (told.status === 'rejected') throw told.reason;
  if (ended.status === 'rejected') throw ended.reason;
  // If it has changed since, whoever changed it has it reported again.
  if (isFinal(entry.status)) await ports.backlog.close(entry);
  if (told.value) throw told.value;
}

/** Ends what is left of a deploy that has ended: its staged tarball, the build that it was cancelled in, and its release. */
async function end(entry: Entry, { platform, tarballs }: ReportPorts): Promise<void> {
  if (!isFinal(entry.status) || entry.stage === 'check') return;
  // By its key, because a worker that died may have stored it without writing that into the entry.
  const removed = entry.operation === undefined ? tarballs.remove(tarballKey(entry)) : undefined;
  await Promise.all([removed, entry.stage === 'extract' ? platform.cancel(snapshotOf(entry)) : undefined]);
  const hasUploaded = entry.appName !== null && entry.stage !== 'fetch';
  if (hasUploaded && !isAlive(entry.status)) platform.prune(appOf(entry));
}

/** Returns what the host has refused for good; null when it was told. */
async function tellHost(entry: Entry, ports: ReportPorts): Promise<DeployError | null> {
  const { user, repository, sha, appName } = entry;
  // Before anything else is read: most users have stored none.
  const token = repository && sha ? await statusToken(ports, user, repository.host, appName) : null;
  if (token === null) return null;
  try {
    await setStatus(entry, token, ports);
    return null;
  } catch (error) {
    if (error instanceof DeployError && !error.retry) return error;
    throw error;
  }
}

async function setStatus(reported: Entry, token: string, ports: ReportPorts): Promise<void> {
  let posted: string | null = null;
  let entry: Entry | null = reported;
  // The entry may change during the request, so it is read again after each.
  for (let posts = 0; entry !== null && posts < MAX_POSTS; posts += 1) {
    const decisive = await entryOfStatus(entry, ports);
    const state = commitStatusOf(decisive);
    const wanted = `${decisive.number} ${state}`;
    if (!state || wanted === posted) return;
    await post(decisive, state, token, ports);
    posted = wanted;
    entry = await ports.log.read(reported.user, reported.number);
  }
}

async function post(entry: Entry, state: CommitStatus['state'], token: string, ports: ReportPorts): Promise<void> {
  const { repository, sha, appName } = entry;
  if (!repository || !sha) return;
  const commit = { host: repository.host, owner: repository.owner, name: repository.name, sha };
  const status = {
    state,
    targetUrl: (state === 'success' && entry.pullRequest && entry.url) || pageAddress(entry.base, entry),
    description: descriptionOf(entry),
    context: `deployment-webhooks/${appName ?? nameFor(repository.name, entry)}`,
  };
  await ports
    .host(repository.host)
    .setStatus(commit, status, token)
    .catch((error: unknown) => {
      // A host may be behind the call that named the commit.
      const isNew = ports.clock.now() - entry.updatedAt < UNKNOWN_MS;
      if (!(error instanceof DeployError && error.host === 'unknown' && isNew)) throw error;
      throw new DeployError(error.code, error.detail, { retry: true, cause: error });
    });
}

/**
 * Returns the entry that determines the commit's status: the given one, unless another one of the same commit has
 * changed since or superseded it. So a message that comes late does not replace a newer status, and a commit
 * that is live is not marked as failed because a second entry for it was superseded.
 */
async function entryOfStatus(entry: Entry, { log, facts }: Pick<ReportPorts, 'log' | 'facts'>): Promise<Entry> {
  if (!isOnBranch(entry) || entry.appName === null) return entry;
  const { user, repository, sha, appName } = entry;
  const { deploying } = await facts.commitState(user, { ...repository, sha }, trackOf(entry));
  if (deploying === null || deploying === entry.number) return entry;
  const other = await log.read(user, deploying);
  if (other?.appName !== appName) return entry;
  return other.seq > entry.seq || (isNeedless(entry) && isAlive(other.status)) ? other : entry;
}
