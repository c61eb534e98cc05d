import { type Entry, pageAddress } from '../core/entry/entry.ts';
import { closesPullRequest, isDeploy } from '../core/entry/kinds.ts';
import { descriptionOf, isNeedless } from '../core/entry/outcome.ts';
import { trackOf } from '../core/entry/track.ts';
import { DeployError } from '../core/errors.ts';
import type { AppFacts, CommitFacts } from '../core/ports/facts.ts';
import type { LogReader } from '../core/ports/log.ts';
import type { PreviewDeployment, RepositoryHost } from '../core/ports/repository-host.ts';
import { commentOf } from '../core/preview/comment.ts';

export interface PreviewReportPorts {
  readonly log: Pick<LogReader, 'read'>;
  readonly facts: Pick<CommitFacts, 'branch'>;
  readonly appFacts: Pick<AppFacts, 'active'>;
  readonly host: (name: string) => Pick<RepositoryHost, 'setDeployment' | 'setComment'>;
}

/** Runs for one message, when the entry changes during each of them. */
const MAX_RUNS = 3;

/**
 * Shows the state of a preview's entry at the repository host: as a deployment, and in the comment at its pull
 * request if the hook's address asks for one. An entry that changes meanwhile is reported again. Throws what the host
 * throws, first what can succeed later.
 */
export async function reportPreview(reported: Entry, token: string, ports: PreviewReportPorts): Promise<void> {
  const { user, number, repository, branch, pullRequest } = reported;
  if (!pullRequest || !repository || !branch) return;
  let entry: Entry | null = reported;
  for (let runs = 0, seq = -1; entry !== null && entry.seq !== seq && runs < MAX_RUNS; runs += 1) {
    seq = entry.seq;
    const { newest, app } = await ports.facts.branch(user, repository, trackOf({ ...entry, branch }));
    // The call that closes a pull request names no application.
    const name = entry.appName ?? app;
    const live = name === null ? null : await ports.appFacts.active(user, name);
    const results = await Promise.allSettled([
      setDeployment(entry, live, { token, ports }),
      setComment(entry, { live, newest }, { token, ports }),
    ]);
    const failures = results.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []));
    if (failures.length > 0)
      throw failures.find((error) => !(error instanceof DeployError) || error.retry) ?? failures[0];
    entry = await ports.log.read(user, number);
  }
}

interface HostAccess {
  readonly token: string;
  readonly ports: PreviewReportPorts;
}

async function setDeployment(entry: Entry, live: number | null, { token, ports }: HostAccess): Promise<void> {
  const { user, id, repository, appName, sha } = entry;
  const state = deploymentState(entry, live);
  if (!repository || appName === null || state === null) return;
  const deployment = {
    user,
    entry: id,
    environment: appName,
    state,
    url: entry.url,
    sha: isDeploy(entry) ? sha : null,
    description: descriptionOf(entry),
    logUrl: pageAddress(entry.base, entry),
  };
  await ports.host(repository.host).setDeployment(repository, deployment, token);
}

/** Returns null for an entry that asks for no deployment. */
function deploymentState(entry: Entry, live: number | null): PreviewDeployment['state'] | null {
  const { status } = entry;
  if (!isDeploy(entry)) return isRemoved(entry) ? 'inactive' : null;
  if (entry.sha === null) return null;
  switch (status) {
    case 'held':
      return 'queued';
    case 'queued':
    case 'running':
      return 'in_progress';
    case 'ok':
    case 'crashed':
      if (live !== entry.number) return 'inactive';
      return status === 'ok' ? 'success' : 'failure';
    case 'error':
      return 'failure';
    default:
      return isNeedless(entry) ? 'inactive' : null;
  }
}

/** Whether an entry is the removal itself, and not the skipped call that closed the pull request. */
function isRemoved({ operation, status }: Entry): boolean {
  return operation === 'remove' && status === 'ok';
}

/** The entries of a preview: the live one, and that of the newest call. */
interface Known {
  readonly live: number | null;
  readonly newest: number;
}

async function setComment(entry: Entry, known: Known, { token, ports }: HostAccess): Promise<void> {
  const { user, repository, pullRequest } = entry;
  if (!repository || !pullRequest?.comment || !(await speaks(entry, known, ports))) return;
  const { live } = known;
  const serving = live === null || live === entry.number ? null : await ports.log.read(user, live);
  const comment = { pullRequest: pullRequest.number, ...commentOf(entry, serving) };
  await ports.host(repository.host).setComment(repository, comment, token);
}

/** Whether an entry is what the comment is about: a newer one is, unless it has ended without a result. */
async function speaks(entry: Entry, { live, newest }: Known, { log }: PreviewReportPorts): Promise<boolean> {
  const { user, number } = entry;
  if (entry.status === 'duplicate') return false;
  if (!isDeploy(entry)) {
    const isClosed = closesPullRequest(entry) || isRemoved(entry);
    // The preview is not removed yet, or was deployed again since.
    if (!isClosed || live !== null) return false;
  }
  if (newest <= number) return true;
  const newer = await log.read(user, newest);
  return newer !== null && isNeedless(newer) && !closesPullRequest(newer) && !isNeedless(entry);
}
