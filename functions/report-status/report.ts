import { statusToken, type TokenAccess } from '../core/access.ts';
import { type Entry, entryAddress } from '../core/entry/entry.ts';
import type { Job } from '../core/pipeline/job.ts';
import type { LogReader } from '../core/ports/log-reader.ts';
import type { CommitStatus, RepositoryHost } from '../core/ports/repository-host.ts';
import { oneLine } from '../core/text.ts';

/** What reporting works with. */
export interface ReportPorts extends TokenAccess {
  readonly log: Pick<LogReader, 'read'>;
  readonly host: (name: string) => RepositoryHost;
}

/** A commit status has room for that many characters. */
const DESCRIPTION = 140;

/**
 * Sets the commit status to what the entry says now, whatever it said when the message was sent: a message that comes
 * late or twice does no harm. Without a stored token there is nothing to do. Throws what the host throws.
 */
export async function report({ user, number }: Job, ports: ReportPorts): Promise<void> {
  let posted: CommitStatus['state'] | null = null;
  // The entry may move while the host is being told; the last word must be the entry's.
  for (let look = 0; look < 3; look += 1) {
    const entry = await ports.log.read(user, number);
    const state = entry && stateOf(entry);
    if (!entry || !state || state === posted) return;
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
    targetUrl: entryAddress(entry.base, entry),
    description: oneLine(describe(entry), DESCRIPTION) ?? entry.status,
    context: `deployment-webhooks/${appName ?? repository.name}`,
  };
  await ports.host(repository.host).setStatus(commit, status, token);
}

/**
 * Null when the entry is no news for the commit. The status bears the application's name, so that nothing is pending
 * before that is known; and what has been pending does not stay so, however the entry ended.
 */
function stateOf({ status, appName }: Entry): CommitStatus['state'] | null {
  if (status === 'error') return 'failure';
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
