import { type Entry, isFinal } from '../core/entry/entry.ts';
import { maskedDetail, maskedTail } from '../core/entry/mask.ts';
import { deployOfSnapshot } from '../core/entry/snapshot.ts';
import { type Transition, withStage } from '../core/entry/transition.ts';
import { overrulerOf } from '../core/pipeline/overruled.ts';
import { FINDINGS } from '../core/pipeline/pipeline.ts';
import type { AppEvent } from '../core/ports/app-event.ts';
import type { AppFacts } from '../core/ports/facts.ts';
import type { DeployLog } from '../core/ports/log.ts';
import type { JobQueue } from '../core/ports/stages.ts';
import type { Clock, Trace } from '../core/ports/system.ts';

export interface ApplyPorts {
  readonly log: Pick<DeployLog, 'read' | 'move'>;
  readonly appFacts: Pick<AppFacts, 'named' | 'overruledUntil'>;
  readonly queue: Pick<JobQueue, 'report'>;
  readonly clock: Clock;
  readonly trace: Trace;
}

/**
 * Applies an event to the entry that its application runs: `ok` becomes `crashed`, and `crashed` becomes `ok`; a note on
 * one that runs goes into the detail of its start. An event of another snapshot than the one that runs is out of date and
 * changes nothing. The snapshot that `serves` names runs again in its place. Returns false when the deploy of the snapshot
 * has not ended yet, so that the event has to be applied later.
 */
export async function applyEvent(event: AppEvent, ports: ApplyPorts): Promise<boolean> {
  const { user, app, snapshot, state, reason, restart } = event;
  if (restart !== undefined) return takeBack(event, restart, ports);
  const active = await activeEntry(event, ports);
  if (active?.snapshot !== snapshot) return !(await isUnderWay(event, ports));
  const moved = await ports.log.move(user, active.number, (current) => transitionOf(current, event, ports.clock.now()));
  // Also after a run that was interrupted here: setting the same commit status again does no harm.
  if (moved?.appEvent !== event.seq) return true;
  if (event.serves !== undefined) await activate(user, event.serves, ports);
  await ports.queue.report(moved);
  if (state === 'running' && reason !== null) ports.trace(FINDINGS.application, { user, app, reason });
  return true;
}

/** The entry of a restart that was taken back has crashed. Returns false while it has not ended. */
async function takeBack(event: AppEvent, number: number, { log, clock }: ApplyPorts): Promise<boolean> {
  const moved = await log.move(event.user, number, (current) => transitionOf(current, event, clock.now()));
  return moved === null || isFinal(moved.status);
}

/** Marks the earlier deploy as live again: its release gets the requests back. */
async function activate(user: string, snapshot: string, { log, clock }: ApplyPorts): Promise<void> {
  const number = deployOfSnapshot(snapshot);
  if (number !== null) await log.move(user, number, () => ({ changes: { updatedAt: clock.now() }, activates: true }));
}

async function activeEntry({ user, app }: AppEvent, { appFacts, log }: ApplyPorts): Promise<Entry | null> {
  const { active = null } = (await appFacts.named(user, app)) ?? {};
  return active === null ? null : log.read(user, active);
}

/**
 * Whether the deploy of the snapshot, or a rollback to it, is in progress: the platform runs it, and its entry says so
 * in a moment.
 */
async function isUnderWay({ user, app, snapshot }: AppEvent, ports: ApplyPorts): Promise<boolean> {
  const deploy = deployOfSnapshot(snapshot);
  const entries = [deploy && (await ports.log.read(user, deploy)), await overrulerOf({ user, app }, 0, ports)];
  for (const entry of entries) {
    if (entry && entry.snapshot === snapshot && !isFinal(entry.status)) return true;
  }
  return false;
}

/** Events may be read twice and by two runs at once: one that is older than the last one applied changes nothing. */
function transitionOf(current: Entry, event: AppEvent, now: number): Transition | null {
  const { seq, state, reason, log } = event;
  if (seq <= (current.appEvent ?? 0)) return null;
  const same = { updatedAt: now, appEvent: seq };
  const stages = state === 'running' && reason !== null ? notedStages(current, reason) : null;
  if (state === 'running' && current.status === 'crashed') {
    return { changes: { ...same, status: 'ok', reason: null, logTail: [], ...(stages && { stages }) } };
  }
  if (stages && current.status === 'ok') return { changes: { ...same, stages } };
  if (state !== 'crashed' || current.status !== 'ok') return null;
  const why = maskedDetail(reason ?? 'The application crashed too often.');
  return { changes: { ...same, status: 'crashed', reason: why, logTail: maskedTail(log) } };
}

/** Returns the stages of an entry with a note in the detail of its last one; null when it is there already. */
function notedStages(entry: Entry, note: string): Entry['stages'] | null {
  const detail = entry.stages.find(({ name }) => name === entry.stage)?.detail ?? '';
  if (detail.endsWith(maskedDetail(note))) return null;
  return withStage(entry, { detail: detail === '' ? note : `${detail}; ${note}` });
}
