import { commitStatusOf } from '../core/entry/commit-status.ts';
import { type Entry, isFinal, pageAddress } from '../core/entry/entry.ts';
import { tarballKey } from '../core/entry/tarball-key.ts';
import { DeployError } from '../core/errors.ts';
import { statusToken, type TokenAccess } from '../core/host-tokens.ts';
import type { Job } from '../core/pipeline/job.ts';
import type { Backlog } from '../core/ports/backlog.ts';
import type { DeployFacts } from '../core/ports/deploy-facts.ts';
import type { LogReader } from '../core/ports/log-reader.ts';
import type { CommitStatus, RepositoryHost } from '../core/ports/repository-host.ts';
import type { TarballStore } from '../core/ports/tarball-store.ts';
import { oneLine } from '../core/text.ts';
import { speakerFor } from './speaker.ts';

/** The ports that setting a commit status needs. */
export interface ReportPorts extends TokenAccess {
  readonly log: Pick<LogReader, 'read'>;
  readonly facts: Pick<DeployFacts, 'commitState'>;
  readonly host: (name: string) => RepositoryHost;
  readonly tarballs: Pick<TarballStore, 'remove'>;
  readonly backlog: Pick<Backlog, 'close'>;
}

/** GitHub's limit for the description of a commit status. */
const MAX_DESCRIPTION_CHARACTERS = 140;
/** Posts for one message, when the entry changes during each of them. */
const MAX_POSTS = 3;

/**
 * Sets the commit status to the current status of the entry, or of the one that has deployed the same commit since, so
 * that late and repeated messages have no effect. Does nothing without a stored token. An entry that has ended is
 * closed then: its staged tarball is removed, and the sweeper looks at it no more. Throws what the host throws; the
 * sweeper has what can succeed later reported again.
 */
export async function report({ user, number }: Job, ports: ReportPorts): Promise<void> {
  let posted: string | null = null;
  // The entry may change during the request, so it is read again after each.
  for (let posts = 0; posts <= MAX_POSTS; posts += 1) {
    const entry = await ports.log.read(user, number);
    if (!entry) return;
    const speaker = await speakerFor(entry, ports);
    const state = commitStatusOf(speaker);
    const wanted = `${speaker.number} ${state}`;
    if (!state || wanted === posted) return close(entry, ports);
    if (posts === MAX_POSTS) return;
    await closeIfRefused(entry, ports, () => post(speaker, state, ports));
    posted = wanted;
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

/** A permanent refusal of the host is not retried. */
async function closeIfRefused(entry: Entry, ports: ReportPorts, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (error instanceof DeployError && !error.retry) await close(entry, ports);
    throw error;
  }
}

async function close(entry: Entry, { tarballs, backlog }: ReportPorts): Promise<void> {
  if (!isFinal(entry.status)) return;
  // By its key, because a worker that died may have stored it without writing that into the entry.
  if (entry.stage !== 'check' && entry.operation === undefined) await tarballs.remove(tarballKey(entry));
  await backlog.close(entry);
}

function describe({ status, url, reason, error, appName }: Entry): string {
  if (status === 'ok') return `Deployed: ${url ?? appName ?? ''}`;
  if (status === 'error') return `${error?.code}: ${error?.detail}`;
  return reason ?? 'Deploying';
}
