import { type Entry, entryAddress, isAlive } from '../core/entry/entry.ts';
import { type Manifest, maxManifestBytes, readManifest } from '../core/entry/manifest.ts';
import { DeployError } from '../core/errors.ts';
import { failureInWords, type Verdict, verdictOf } from '../core/hold/checks.ts';
import { type Source, waitOf } from '../core/hold/wait.ts';
import type { StageOutcome, StageWork } from '../core/pipeline/stage-work.ts';
import type { Gate } from '../core/ports/deploy-facts.ts';
import { overtakenBy } from './overtaken.ts';
import { withoutOwnDeploy } from './passed-build.ts';
import type { CheckPorts } from './ports.ts';
import { toldManifest } from './told-manifest.ts';

/** The first stage: whether the commit is deployed, and as which application. */
export function check(ports: CheckPorts): StageWork {
  return async (entry) => {
    const { branch, sha, repository } = entry;
    if (!repository || !sha || !branch) throw new Error('Only an entry with a commit on a branch is queued.');
    const commit = { host: repository.host, owner: repository.owner, name: repository.name, sha };
    const gate = await ports.facts.gate(entry.user, commit, branch);
    const verdict = verdictFor(entry, gate);
    if (verdict.says === 'failed') return { kind: 'ended', status: 'skipped', reason: failureInWords(verdict.check) };
    const answered = entry.fromBuild
      ? await withoutOwnDeploy(entry, verdict, gate, ports)
      : await answeredByBuild(entry, gate, ports);
    if (answered) return answered;
    const newer = await overtakenBy(entry, entry.fromBuild || verdict.says === 'passed', ports);
    if (newer) return { kind: 'ended', status: 'superseded', reason: newer };
    const host = ports.host(repository.host);
    const source = { commit, host, token: await ports.token(entry.user, repository.host) };
    return decide(entry, { gate, verdict, source }, ports);
  };
}

/** What CI has said of the commit, unless somebody has decided not to listen. */
function verdictFor(entry: Entry, gate: Gate): Verdict {
  return entry.ci && !entry.ci.waits ? { says: 'nothing' } : verdictOf(gate.checks);
}

/** A push whose commit a CI provider's call has deployed already. */
async function answeredByBuild(entry: Entry, gate: Gate, ports: CheckPorts): Promise<StageOutcome | null> {
  const other = gate.awaitsPush && gate.deploying !== null ? await ports.log.read(entry.user, gate.deploying) : null;
  // When the branch has gone on since, this is another push: one that moves it back.
  if (!other || !isAlive(other.status) || !(await isGoing(other, entry, ports))) return null;
  const reason = `The passed build came first and deploys this commit: ${entryAddress(entry.base, other)}.`;
  return { kind: 'ended', status: 'skipped', reason, extra: { gate: { awaitsPush: false } } };
}

async function isGoing(other: Entry, { user, repository, branch }: Entry, { facts }: CheckPorts): Promise<boolean> {
  if (!repository || !branch) return false;
  return (await facts.branch(user, repository, branch)).going?.number === other.number;
}

/** What is known of the commit that is to be decided on. */
interface Known {
  readonly gate: Gate;
  readonly verdict: Verdict;
  readonly source: Source;
}

async function decide(entry: Entry, { gate, verdict, source }: Known, ports: CheckPorts): Promise<StageOutcome> {
  const [read, waits] = await Promise.all([
    orRefusal(manifestOf(source)),
    orRefusal(waitOf(entry, verdict, source, ports)),
  ]);
  if (read instanceof DeployError) return { kind: 'failed', error: read, patch: await knownApp(entry, ports) };
  if (waits instanceof DeployError) return { kind: 'failed', error: waits, patch: { appName: read.name } };
  const patch = {
    appName: read.name,
    snapshot: `${read.version}-${entry.number}`,
    manifest: toldManifest(read.manifest),
  };
  if (waits.for) return hold(entry, { waitsFor: waits.for, version: gate.version }, patch, ports);
  return {
    kind: 'done',
    patch: { ...patch, place: entry.seq },
    detail: [`${read.name} ${read.version}`, ...(waits.note ? [waits.note] : [])].join('; '),
    extra: {
      goes: true,
      gate: { deploying: entry.number, awaitsPush: entry.fromBuild },
      // Where CI decides, a result that arrives meanwhile may forbid the deploy.
      ...(verdict.says === 'passed' && { ifVersion: gate.version }),
    },
  };
}

/** What a failure leaves known goes into the entry, so it is not thrown any further. */
async function orRefusal<T>(work: Promise<T>): Promise<T | DeployError> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof DeployError) return error;
    throw error;
  }
}

async function manifestOf({ host, commit, token }: Source): Promise<Manifest> {
  const text = await host.file(commit, 'package.json', token, maxManifestBytes);
  if (text !== null) return readManifest(text);
  const detail = `There is no package.json in the root folder of commit ${commit.sha.slice(0, 10)}.`;
  throw new DeployError('deploy:repohost:no_pkg_json', detail, { retry: false });
}

/** A commit without a readable name still belongs to the application that its branch deployed before. */
async function knownApp({ user, repository, branch }: Entry, { facts }: CheckPorts): Promise<Partial<Entry>> {
  if (!repository || !branch) return {};
  const { app } = await facts.branch(user, repository, branch);
  return app ? { appName: app } : {};
}

function hold(
  entry: Entry,
  { waitsFor, version }: { readonly waitsFor: string; readonly version: number },
  patch: Partial<Entry>,
  ports: CheckPorts,
): StageOutcome {
  return {
    kind: 'ended',
    status: 'held',
    reason: `Waiting for ${waitsFor} to call with a passed build of this commit.`,
    patch,
    extra: {
      gate: { held: entry.number },
      ifVersion: version,
      due: ports.clock.now() + ports.holdMinutes * 60_000,
    },
  };
}
