import type { SentApplication } from '../../../functions/api/shapes/applications.ts';
import type { SentEntry } from '../../../functions/api/shapes/entry.ts';
import type { Process } from '../../../functions/api/shapes/processes.ts';

export type Tone = 'good' | 'bad' | 'busy' | 'wait' | 'calm';

/** The shape of a status, which tells it without its colour. */
export type Shape =
  | 'check'
  | 'cross'
  | 'alert'
  | 'ring'
  | 'dots'
  | 'pause'
  | 'clock'
  | 'skip'
  | 'copy'
  | 'next'
  | 'stop'
  | 'dot';

export interface ShownStatus {
  readonly label: string;
  readonly tone: Tone;
  readonly shape: Shape;
}

type Shown<Word extends string> = Readonly<Record<Word, ShownStatus>>;

// The compiler refuses a status without its words; those of a later version have none.
const statuses: Readonly<Record<string, ShownStatus>> = {
  queued: { label: 'Queued', tone: 'busy', shape: 'dots' },
  running: { label: 'Deploying', tone: 'busy', shape: 'ring' },
  held: { label: 'Waiting for CI', tone: 'wait', shape: 'pause' },
  ok: { label: 'Deployed', tone: 'good', shape: 'check' },
  crashed: { label: 'Crashed', tone: 'bad', shape: 'alert' },
  error: { label: 'Failed', tone: 'bad', shape: 'cross' },
  expired: { label: 'Expired', tone: 'bad', shape: 'clock' },
  skipped: { label: 'Skipped', tone: 'calm', shape: 'skip' },
  duplicate: { label: 'Duplicate', tone: 'calm', shape: 'copy' },
  superseded: { label: 'Superseded', tone: 'calm', shape: 'next' },
  cancelled: { label: 'Cancelled', tone: 'calm', shape: 'stop' },
} satisfies Shown<SentEntry['status']>;

const operations: Readonly<Record<string, readonly [doing: string, done: string]>> = {
  rollback: ['Rolling back', 'Rolled back'],
  restart: ['Restarting', 'Restarted'],
  stop: ['Stopping', 'Stopped'],
  remove: ['Removing', 'Removed'],
  rename: ['Renaming', 'Renamed'],
  incident: ['Failing', 'Recovered'],
} satisfies Record<NonNullable<SentEntry['operation']>, readonly [string, string]>;

/** Operations such as a restart deploy nothing, so they are not shown as a success. */
const EVENT = { tone: 'calm', shape: 'dot' } as const;

/** Returns how an entry's status is shown. An unknown status is shown as it is. */
export function shownStatus({
  status,
  operation,
}: {
  readonly status: string;
  readonly operation?: string;
}): ShownStatus {
  const ofStatus = statuses[status] ?? { label: status, tone: 'calm', shape: 'dot' };
  const words = operations[operation ?? ''];
  if (words && (status === 'running' || (status === 'crashed' && operation === 'incident')))
    return { ...ofStatus, label: words[0] };
  if (words && status === 'ok')
    return { ...ofStatus, label: words[1], ...(isEvent({ operation: operation ?? '' }) && EVENT) };
  return ofStatus;
}

/** Returns whether an entry changes how an application runs, and not what: it is no deploy. */
export function isEvent({ operation }: { readonly operation?: string }): boolean {
  return ['restart', 'stop', 'remove', 'incident'].includes(operation ?? '');
}

/** The choices of the status filter, each with the statuses that it shows. */
export const statusGroups: Readonly<Record<string, { readonly label: string; readonly statuses: readonly string[] }>> =
  {
    failed: { label: 'Failed', statuses: ['error', 'crashed', 'expired'] },
    progress: { label: 'In progress', statuses: ['queued', 'running', 'held'] },
    deployed: { label: 'Deployed', statuses: ['ok'] },
    ignored: { label: 'Not deployed', statuses: ['skipped', 'duplicate', 'superseded', 'cancelled'] },
  };

const states: Readonly<Record<string, ShownStatus>> = {
  running: { label: 'Running', tone: 'good', shape: 'check' },
  asleep: { label: 'Asleep', tone: 'calm', shape: 'pause' },
  stopped: { label: 'Stopped', tone: 'calm', shape: 'pause' },
  crashed: { label: 'Crashed', tone: 'bad', shape: 'alert' },
  starting: { label: 'Starting', tone: 'busy', shape: 'ring' },
  restarting: { label: 'Restarting', tone: 'wait', shape: 'ring' },
  never: { label: 'Never started', tone: 'calm', shape: 'dots' },
} satisfies Shown<SentApplication['state'] | Process['state']>;

/** Returns how the state of a preview is shown: that of its deploy, or of its application. */
export function shownPreview(state: string): ShownStatus {
  return statuses[state] ?? shownState(state);
}

export function shownState(state: string): ShownStatus {
  return states[state] ?? { label: state, tone: 'calm', shape: 'dot' };
}
