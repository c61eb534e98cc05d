import type { Entry, Operation } from '../core/entry/entry.ts';
import { appOf } from '../core/entry/snapshot.ts';
import type { HoldPorts } from '../core/hold/hold.ts';
import type { StageOutcome } from '../core/pipeline/stage-work.ts';
import type { DeployFacts } from '../core/ports/facts.ts';
import type { AppOperations, AppRef, HostingPlatform } from '../core/ports/platform.ts';

export interface StartPorts extends HoldPorts {
  readonly platform: Pick<HostingPlatform, 'start'>;
  readonly operations: AppOperations;
  readonly facts: Pick<DeployFacts, 'claimApp' | 'freeApp' | 'commitState'>;
}

type Work = (app: AppRef, ports: StartPorts) => Promise<StageOutcome>;

/** A rollback is a start of an old snapshot. */
const works: Readonly<Record<Exclude<Operation, 'rollback'>, Work>> = { restart, stop, remove };

/** Returns the result of an operation on an application. Each may run twice. */
export function operate(
  operation: Exclude<Operation, 'rollback'>,
  entry: Entry,
  ports: StartPorts,
): Promise<StageOutcome> {
  return works[operation](appOf(entry), ports);
}

async function restart(app: AppRef, { operations }: StartPorts): Promise<StageOutcome> {
  const { url } = await operations.restart(app);
  return { kind: 'done', detail: `answers at ${url}`, transition: { changes: { url } } };
}

async function stop(app: AppRef, { operations }: StartPorts): Promise<StageOutcome> {
  await operations.stop(app);
  return { kind: 'done', detail: `${app.app} is stopped; the next deploy or a restart starts it` };
}

async function remove(app: AppRef, { operations, facts }: StartPorts): Promise<StageOutcome> {
  await operations.remove(app);
  await facts.freeApp(app.user, app.app);
  return { kind: 'done', detail: `${app.app} is removed; its log stays`, transition: { deactivates: true } };
}
