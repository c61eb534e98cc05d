import type { CommitRef } from '../core/delivery.ts';
import { type Entry, entryAddress } from '../core/entry.ts';
import { DeployError } from '../core/errors.ts';
import { type Manifest, readManifest } from '../core/manifest.ts';
import type { Clock } from '../core/ports/ambient.ts';
import type { DeployFacts, DeployLog, Gate } from '../core/ports/deploy-log.ts';
import type { JobQueue } from '../core/ports/job-queue.ts';
import type { HostToken, RepositoryHost } from '../core/ports/repository-host.ts';
import type { CiConfig } from '../core/ports/sender.ts';
import type { StageOutcome, StageWork } from '../core/stage.ts';
import { overtakenBy } from './overtaken.ts';
import { releaseHeld } from './release.ts';

/** What the first stage works with. */
export interface CheckPorts {
  readonly log: DeployLog;
  readonly facts: DeployFacts;
  readonly queue: JobQueue;
  readonly clock: Clock;
  /** The configured repository host of that name. */
  readonly host: (name: string) => RepositoryHost;
  readonly token: (user: string, host: string) => Promise<HostToken>;
  readonly ciConfigs: readonly CiConfig[];
  readonly holdMinutes: number;
}

/** A manifest is read whole; one larger than that is none. */
const MANIFEST_BYTES = 1024 * 1024;
const CI_CONFIG_BYTES = 128 * 1024;

/** A commit of an entry, with the way to its files. */
interface Source {
  readonly commit: CommitRef;
  readonly host: RepositoryHost;
  readonly token: HostToken;
}

/** The first stage: whether the commit is deployed, and as which application. */
export function check(ports: CheckPorts): StageWork {
  return async (entry) => {
    const { branch, sha, repository } = entry;
    if (!repository || !sha || !branch) throw new Error('Only an entry with a commit on a branch is queued.');
    const commit = { host: repository.host, owner: repository.owner, name: repository.name, sha };
    const gate = await ports.facts.gate(entry.user, commit);
    const answered = entry.fromBuild
      ? await releaseHeld(entry, gate, ports)
      : await answeredByBuild(entry, gate, ports);
    if (answered) return answered;
    const newer = await overtakenBy(entry, entry.fromBuild || gate.outcome !== null, ports);
    if (newer) return { kind: 'ended', status: 'superseded', reason: newer };
    const host = ports.host(repository.host);
    return decide(entry, gate, { commit, host, token: await ports.token(entry.user, repository.host) }, ports);
  };
}

/** A push whose commit a CI provider has already spoken about: deployed by that call, or refused. */
async function answeredByBuild(entry: Entry, gate: Gate, { log }: CheckPorts): Promise<StageOutcome | null> {
  if (gate.outcome && !gate.outcome.passed) {
    const reason = `CI did not pass: ${gate.outcome.provider} said "${gate.outcome.state}" for this commit.`;
    return { kind: 'ended', status: 'skipped', reason };
  }
  if (!gate.awaitsPush || gate.deploying === null) return null;
  const other = await log.read(entry.user, gate.deploying);
  if (!other || other.status === 'error') return null;
  const reason = `The passed build came first and deploys this commit: ${entryAddress(entry.base, other)}.`;
  return { kind: 'ended', status: 'skipped', reason, extra: { gate: { awaitsPush: false } } };
}

async function decide(entry: Entry, gate: Gate, source: Source, ports: CheckPorts): Promise<StageOutcome> {
  const read = await manifestOf(entry, source, ports);
  if (read instanceof DeployError) return { kind: 'failed', error: read, patch: await knownApp(entry, ports) };
  const patch = {
    appName: read.name,
    snapshot: `${read.version}-${entry.number}`,
    manifest: read.manifest,
  };
  const waits = entry.fromBuild || gate.outcome ? { note: null } : await holdOf(source, ports.ciConfigs);
  if (waits.for) return hold(entry, waits.for, patch, ports);
  return {
    kind: 'done',
    patch,
    detail: [`${read.name} ${read.version}`, ...(waits.note ? [waits.note] : [])].join('; '),
    extra: { goes: true, gate: { deploying: entry.number, awaitsPush: entry.fromBuild } },
  };
}

async function manifestOf(entry: Entry, source: Source, _ports: CheckPorts): Promise<Manifest | DeployError> {
  try {
    const text = await source.host.file(source.commit, 'package.json', source.token, MANIFEST_BYTES);
    if (text !== null) return readManifest(text);
    const detail = `There is no package.json in the root folder of commit ${entry.sha?.slice(0, 10)}.`;
    return new DeployError('deploy:repohost:no_pkg_json', detail, { retry: false });
  } catch (error) {
    if (error instanceof DeployError) return error;
    throw error;
  }
}

/** A commit without a readable name still belongs to the application that its branch deployed before. */
async function knownApp({ user, repository, branch }: Entry, { facts }: CheckPorts): Promise<Partial<Entry>> {
  if (!repository || !branch) return {};
  const { app } = await facts.branch(user, repository, branch);
  return app ? { appName: app } : {};
}

/** What the commit waits for, by the CI configuration in its own tree. */
async function holdOf({ host, commit, token }: Source, configs: readonly CiConfig[]) {
  const notes: string[] = [];
  for (const config of configs) {
    const text = await host.file(commit, config.path, token, CI_CONFIG_BYTES);
    if (text === null) continue;
    const decision = config.decide(text);
    if (decision.hold) return { for: decision.waitsFor, note: null };
    if (decision.note) notes.push(decision.note);
  }
  return { note: notes.length > 0 ? notes.join('; ') : null };
}

function hold(entry: Entry, waitsFor: string, patch: Partial<Entry>, ports: CheckPorts): StageOutcome {
  return {
    kind: 'ended',
    status: 'held',
    reason: `Waiting for ${waitsFor} to call with a passed build of this commit.`,
    patch,
    extra: {
      gate: { held: entry.number },
      unlessOutcome: true,
      due: ports.clock.now() + ports.holdMinutes * 60_000,
    },
  };
}
