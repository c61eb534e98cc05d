import { type Entry, isAlive, isFinal, pageAddress, tarballKey } from '../core/entry/entry.ts';
import { trackOf } from '../core/entry/folder.ts';
import { commitStatusOf } from '../core/entry/outcome.ts';
import { snapshotOf } from '../core/entry/snapshot.ts';
import { DeployError } from '../core/errors.ts';
import { statusToken, type TokenAccess } from '../core/host-tokens.ts';
import type { Job } from '../core/pipeline/job.ts';
import type { DeployFacts } from '../core/ports/facts.ts';
import type { Backlog, LogReader } from '../core/ports/log.ts';
import type { HostingPlatform } from '../core/ports/platform.ts';
import type { CommitStatus, RepositoryHost } from '../core/ports/repository-host.ts';
import type { TarballStore } from '../core/ports/stages.ts';
import { oneLine } from '../core/text.ts';

/** The ports that setting a commit status and closing an entry need. */
interface ReportPorts extends TokenAccess {
  readonly log: Pick<LogReader, 'read'>;
  readonly facts: Pick<DeployFacts, 'commitState'>;
  readonly host: (name: string) => RepositoryHost;
  readonly platform: Pick<HostingPlatform, 'cancel'>;
  readonly tarballs: Pick<TarballStore, 'remove'>;
  readonly backlog: Pick<Backlog, 'close'>;
}

/** GitHub's limit for the description of a commit status. */
const MAX_DESCRIPTION_CHARACTERS = 140;
/** Posts for one message, when the entry changes during each of them. */
const MAX_POSTS = 3;

/**
 * Sets the commit status to the current status of the entry, or of the one that has deployed the same commit since, so
 * that late and repeated messages have no effect; without a stored token it sets none. An entry that has ended is closed
 * then: its build is ended, its staged tarball removed, and the sweeper looks at it no more. Throws what the host and
 * the platform throw; the sweeper has what can succeed later reported again.
 */
export async function report({ user, number }: Job, ports: ReportPorts): Promise<void> {
  const entry = await ports.log.read(user, number);
  if (!entry) return;
  // Beside each other: a host that does not answer leaves no build and no tarball, and a platform delays no status.
  const [ended, status] = await Promise.allSettled([end(entry, ports), setStatus(entry, ports)]);
  if (status.status === 'rejected') throw status.reason;
  if (ended.status === 'rejected') throw ended.reason;
  if (!status.value) return;
  // If it has changed since, whoever changed it has it reported again.
  if (isFinal(entry.status)) await ports.backlog.close(entry);
  if (status.value.refusal) throw status.value.refusal;
}

/** Ends what is left of a deploy that has ended: its staged tarball, and the build that it was cancelled in. */
async function end(entry: Entry, { platform, tarballs }: ReportPorts): Promise<void> {
  if (!isFinal(entry.status) || entry.stage === 'check') return;
  // By its key, because a worker that died may have stored it without writing that into the entry.
  const removed = entry.operation === undefined ? tarballs.remove(tarballKey(entry)) : undefined;
  await Promise.all([removed, entry.stage === 'extract' ? platform.cancel(snapshotOf(entry)) : undefined]);
}

/** The commit status is set, or never will be because the host has refused it for good. */
interface Reported {
  readonly refusal?: DeployError;
}

/** Returns null for an entry that does not exist, or that changes during each request. */
async function setStatus(reported: Entry, ports: ReportPorts): Promise<Reported | null> {
  const { user, number, repository, sha, appName } = reported;
  // Before anything else is read: most users have stored none.
  const token = repository && sha ? await statusToken(ports, user, repository.host, appName) : null;
  if (token === null) return {};
  let posted: string | null = null;
  let entry: Entry | null = reported;
  // The entry may change during the request, so it is read again after each.
  for (let posts = 0; entry !== null; posts += 1) {
    const decisive = await entryOfStatus(entry, ports);
    const state = commitStatusOf(decisive);
    const wanted = `${decisive.number} ${state}`;
    if (!state || wanted === posted) return {};
    if (posts === MAX_POSTS) return null;
    const refusal = await refusalOf(() => post(decisive, state, token, ports));
    if (refusal) return { refusal };
    posted = wanted;
    entry = await ports.log.read(user, number);
  }
  return null;
}

async function post(entry: Entry, state: CommitStatus['state'], token: string, ports: ReportPorts): Promise<void> {
  const { repository, sha, appName } = entry;
  if (!repository || !sha) return;
  const commit = { host: repository.host, owner: repository.owner, name: repository.name, sha };
  const status = {
    state,
    targetUrl: pageAddress(entry.base, entry),
    description: oneLine(describe(entry), MAX_DESCRIPTION_CHARACTERS) ?? entry.status,
    context: `deployment-webhooks/${appName ?? repository.name}`,
  };
  await ports.host(repository.host).setStatus(commit, status, token);
}

/** Returns the permanent refusal of a host, which is not retried; null after success. */
async function refusalOf(work: () => Promise<void>): Promise<DeployError | null> {
  try {
    await work();
    return null;
  } catch (error) {
    if (error instanceof DeployError && !error.retry) return error;
    throw error;
  }
}

function describe({ status, url, reason, error, appName }: Entry): string {
  if (status === 'ok') return `Deployed: ${url ?? appName ?? ''}`;
  if (status === 'error') return `${error?.code}: ${error?.detail}`;
  return reason ?? 'Deploying';
}

/**
 * Returns the entry that determines the commit's status: the given one, unless another one of the same commit has
 * changed since or superseded it. So a message that comes late does not replace a newer status, and a commit
 * that is live is not marked as failed because a second entry for it was superseded.
 */
async function entryOfStatus(entry: Entry, { log, facts }: Pick<ReportPorts, 'log' | 'facts'>): Promise<Entry> {
  const { user, repository, sha, branch, appName } = entry;
  if (!repository || !sha || !branch || appName === null) return entry;
  const { deploying } = await facts.commitState(user, { ...repository, sha }, trackOf({ ...entry, branch }));
  if (deploying === null || deploying === entry.number) return entry;
  const other = await log.read(user, deploying);
  if (other?.appName !== appName) return entry;
  return other.seq > entry.seq || (isNeedless(entry) && isAlive(other.status)) ? other : entry;
}

function isNeedless({ status }: Entry): boolean {
  return ['superseded', 'cancelled', 'skipped', 'expired'].includes(status);
}
