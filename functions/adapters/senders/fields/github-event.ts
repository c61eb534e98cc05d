import type { HookCall } from '../../../core/ports/sender.ts';
import { announcement } from './event-header.ts';

/** The events of GitHub that have senders of their own: they say what CI found. */
const ciEvents = ['workflow_run', 'check_suite', 'check_run', 'status'] as const;
export type CiEvent = (typeof ciEvents)[number];

/** Whether GitHub calls with one of these events of CI. */
export function isCiEvent(headers: HookCall['headers'], ...events: readonly CiEvent[]): boolean {
  const announced = announcement(headers);
  return announced?.by === 'GitHub' && events.some((event) => event === announced.event);
}

/** Whether GitHub calls with any other event. Gitea, Forgejo and Gogs send its header as well, after their own. */
export function isOtherGithubEvent(headers: HookCall['headers']): boolean {
  return announcement(headers)?.by === 'GitHub' && !isCiEvent(headers, ...ciEvents);
}
