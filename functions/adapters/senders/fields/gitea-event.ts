import type { HookCall } from '../../../core/ports/sender.ts';
import { announcement } from './event-header.ts';

/** The event of Gitea that has a sender of its own: it says what CI found. */
const giteaCiEvent = 'workflow_run';
/** Forgejo has an event for each end of a run; after a failure, a success is told twice: as such and as a recovery. */
const forgejoCiEvents = ['action_run_success', 'action_run_failure', 'action_run_recover'];

/** Whether Gitea calls with what its Actions found. */
export function isGiteaCiEvent(headers: HookCall['headers']): boolean {
  const announced = announcement(headers);
  return announced?.by === 'Gitea' && announced.event === giteaCiEvent;
}

/** Whether Forgejo calls with what its Actions found. */
export function isForgejoCiEvent(headers: HookCall['headers']): boolean {
  const announced = announcement(headers);
  return announced?.by === 'Forgejo' && forgejoCiEvents.includes(announced.event);
}
