import { statusToken, type TokenAccess } from '../core/access.ts';
import { type Entry, isDeploy, pageAddress } from '../core/entry/entry.ts';
import type { Job } from '../core/pipeline/job.ts';
import type { LogReader } from '../core/ports/log-reader.ts';
import type { CommitStatus, RepositoryHost } from '../core/ports/repository-host.ts';
import { oneLine } from '../core/text.ts';

/** The ports that setting a commit status needs. */
export interface ReportPorts extends TokenAccess {
  readonly log: Pick<LogReader, 'read'>;
  readonly host: (name: string) => RepositoryHost;
}

/** GitHub's limit for the description of a commit status. */
const MAX_DESCRIPTION_CHARACTERS = 140;
/** Posts for one message, when the entry changes during each of them. */
const MAX_POSTS = 3;

/**
 * Sets the commit status to the current status of the entry, so that late and repeated messages have no effect. Does
 * nothing without a stored token. Throws what the host throws.
 */
export async function report({ user, number }: Job, ports: ReportPorts): Promise<void> {
  let posted: CommitStatus['state'] | null = null;
  // The entry may change during the request, so it is read again after each.
  for (let posts = 0; posts < MAX_POSTS; posts += 1) {
    const entry = await ports.log.read(user, number);
    const state = entry && stateOf(entry);
    if (!entry || !isDeploy(entry) || !state || state === posted) return;
    await post(entry, state, ports);
    posted = state;
  }
}

async function post(entry: Entry, state: CommitStatus['state'], ports: ReportPorts): Promise<void> {
  const { repository, sha, user, appName } = entry;
  if (!repository || !sha) return;
  const token = await statusToken(ports, user, repository.host, appName);
  if (token === null) return;
  const commit = { host: repository.host, owner: repository.owner, name: repository.name, sha };
  const status = {
    state,
    targetUrl: pageAddress(entry.base, entry),
    description: oneLine(describe(entry), MAX_DESCRIPTION_CHARACTERS) ?? entry.status,
    context: `deployment-webhooks/${appName ?? repository.name}`,
  };
  await ports.host(repository.host).setStatus(commit, status, token);
}

/**
 * Returns the state to set; null when there is none. The status contains the application's name, so nothing is pending
 * before it is known. Every end of an entry replaces `pending`.
 */
function stateOf({ status, appName }: Entry): CommitStatus['state'] | null {
  if (status === 'error' || status === 'crashed') return 'failure';
  if (appName === null) return null;
  switch (status) {
    case 'queued':
    case 'running':
    case 'held':
      return 'pending';
    case 'ok':
      return 'success';
    case 'skipped':
      return 'failure';
    case 'expired':
    case 'superseded':
      return 'error';
    default:
      return null;
  }
}

function describe({ status, url, reason, error, appName }: Entry): string {
  if (status === 'ok') return `Deployed: ${url ?? appName ?? ''}`;
  if (status === 'error') return `${error?.code}: ${error?.detail}`;
  return reason ?? 'Deploying';
}
