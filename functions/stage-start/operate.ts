import { type Entry, isFinal } from '../core/entry/entry.ts';
import type { Operated, Operation } from '../core/entry/kinds.ts';
import { appOf } from '../core/entry/snapshot.ts';
import { trackOf } from '../core/entry/track.ts';
import type { HoldPorts } from '../core/hold/hold.ts';
import { endDeploy } from '../core/pipeline/end-deploy.ts';
import type { StageOutcome } from '../core/pipeline/stage-work.ts';
import type { AppSettings, DeployFacts } from '../core/ports/facts.ts';
import type { DeployLog } from '../core/ports/log.ts';
import type { AppOperations, AppRef, HostingPlatform } from '../core/ports/platform.ts';

export interface StartPorts extends HoldPorts {
  readonly platform: Pick<HostingPlatform, 'start'>;
  readonly operations: AppOperations;
  readonly facts: Pick<DeployFacts, 'claimApp' | 'freeApp' | 'renameApp' | 'commitState' | 'branch'>;
  readonly settings: Pick<AppSettings, 'move' | 'remove'>;
  readonly log: Pick<DeployLog, 'move' | 'read'>;
}

type Work = (app: AppRef, ports: StartPorts, entry: Entry & Operated) => Promise<StageOutcome>;

/** A rollback is a start of an old snapshot, and an incident has ended. */
type Requested = Exclude<Operation, 'rollback' | 'incident'>;

const works: Readonly<Record<Requested, Work>> = { restart, stop, rename, remove };

/** Returns the result of an operation on an application. Each may run twice. */
export async function operate(operation: Requested, entry: Entry & Operated, ports: StartPorts): Promise<StageOutcome> {
  if (operation === 'remove' && (await isUploading(entry, ports))) return { kind: 'again', afterSeconds: 1 };
  return works[operation](appOf(entry), ports, entry);
}

/**
 * Ends the deploy of a preview that is under way, so that nothing is left of it. Returns whether its tarball is being
 * uploaded, which would make the application anew: that ends first.
 */
async function isUploading(entry: Entry, ports: StartPorts): Promise<boolean> {
  const { user, number, repository, branch, pullRequest } = entry;
  if (!repository || !branch || !pullRequest) return false;
  const { activeDeploy } = await ports.facts.branch(user, repository, trackOf({ ...entry, branch }));
  const deploy = activeDeploy && activeDeploy.number < number ? await ports.log.read(user, activeDeploy.number) : null;
  if (!deploy || isFinal(deploy.status)) return false;
  if (
    deploy.stage === 'upload' &&
    deploy.stages.some(({ name, status }) => name === 'upload' && status === 'running')
  ) {
    return true;
  }
  await endDeploy(deploy, { status: 'superseded', reason: `The preview was removed: #${number}.` }, ports);
  return false;
}

async function restart(app: AppRef, { operations }: StartPorts, { number }: Entry): Promise<StageOutcome> {
  const { url } = await operations.restart(app, number);
  const { detail, changes } = started(url);
  return { kind: 'done', detail, transition: { changes } };
}

/** Returns what the entry of a start says; its address is empty where nothing answers requests. */
export function started(url: string): { readonly detail: string; readonly changes: Pick<Entry, 'url'> } {
  if (url !== '') return { detail: `answers at ${url}`, changes: { url } };
  return { detail: 'its processes run; none of them is web, which answers requests', changes: { url: null } };
}

async function stop(app: AppRef, { operations }: StartPorts): Promise<StageOutcome> {
  await operations.stop(app);
  return { kind: 'done', detail: `${app.app} is stopped; the next deploy or a restart starts it` };
}

/** The entry has the new name already, with what the application runs. */
async function rename(
  app: AppRef,
  { operations, facts, settings }: StartPorts,
  entry: Entry & Operated,
): Promise<StageOutcome> {
  const { user, appName: name, formerName } = entry;
  const former = appOf({ user, appName: formerName ?? null });
  const { url } = await operations.rename(former, name ?? app.app);
  await facts.renameApp(user, former.app, app.app);
  await settings.move(former, app.app);
  const detail = `${formerName} is ${name} now; the log of its deploys before stays under the old name`;
  return { kind: 'done', detail, transition: { changes: { url }, activates: entry.snapshot !== null } };
}

async function remove(app: AppRef, { operations, facts, settings }: StartPorts): Promise<StageOutcome> {
  await operations.remove(app);
  await facts.freeApp(app.user, app.app);
  await settings.remove(app);
  return { kind: 'done', detail: `${app.app} is removed; its log stays`, transition: { deactivates: true } };
}
