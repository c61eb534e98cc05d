import { setTimeout as pause } from 'node:timers/promises';
import { messageOf } from '../../http/http-error.ts';
import type { AppId, EventId, NumberedEvent, RunnerCalls, RunnerEvent } from '../../runner/calls.ts';
import type { Log } from '../settings.ts';
import type { Apps } from '../store/apps.ts';
import type { AppEventStore } from '../store/events.ts';

export interface ReportParts {
  readonly apps: Pick<Apps, 'find' | 'change'>;
  readonly events: AppEventStore;
  readonly log: Log;
  /** Called when an event was stored. */
  readonly onEvent: () => void;
  /** Called when the release before the live one has ended. */
  readonly onRetired: (app: AppId) => void;
  /** Resolves when the start of a snapshot is recorded, if there is one whose answer has not been. */
  readonly recorded: (app: AppId, snapshot: string) => Promise<void>;
}

/** `app.recovered`: no process beside `web` has crashed any more; `app.returned`: the release before serves again. */
const RECORDED = ['app.crashed', 'app.serving', 'app.recovered', 'app.returned'];
/** What only the platform has to know. */
const RETRY_MS = 50;
const SILENT = ['app.port', 'app.retired', 'app.fine'];

/**
 * Takes the runner's reports until the signal aborts: logs them, and records what the deploy service has to know, one after
 * the other: that an application has crashed too often, and that it answers again. When that is stored, `app.state` is logged.
 */
export async function followReports(runner: Pick<RunnerCalls, 'events'>, parts: ReportParts, signal: AbortSignal) {
  let last: EventId | null = null;
  while (!signal.aborted) {
    const events: readonly NumberedEvent[] | undefined = await runner.events(last, signal).catch(() => undefined);
    for (const event of events ?? []) await take(parts, event);
    last = events?.at(-1)?.id ?? last;
    if (!events) await pause(RETRY_MS);
  }
}

async function take(parts: ReportParts, { id, event }: NumberedEvent): Promise<void> {
  const { log } = parts;
  const { port: _port, reason: _reason, lines: _lines, isCause: _isCause, about: _about, ...shown } = event;
  if (!SILENT.includes(event.type)) log(shown);
  await record(parts, id, event).catch((error: unknown) => log({ type: 'platform.error', detail: messageOf(error) }));
}

async function record(
  { apps, events, log, onEvent, onRetired, recorded }: ReportParts,
  eventId: EventId,
  event: RunnerEvent,
): Promise<void> {
  const { type, user, app, snapshot, serves, port, about: subject, reason = null, lines = [] } = event;
  const id = { user, app };
  if (subject !== undefined) {
    const isOver = type === 'app.fine';
    const state = isOver ? 'running' : 'crashed';
    const told = {
      id: eventId,
      about: subject,
      state,
      reason: reason ?? `${subject} ${event.detail}.`,
      log: [...lines],
    } as const;
    if (await events.add({ ...id, ...told })) onEvent();
    return;
  }
  if (type === 'app.retired') return onRetired(id);
  if (port !== undefined && (await apps.find(id))?.port !== port) await apps.change(id, { port });
  if (snapshot === undefined || !RECORDED.includes(type)) return;
  const isTakenBack = serves === snapshot;
  // Both are of one snapshot, whose entry is right.
  if (isTakenBack && event.entry === undefined) return;
  if (serves !== undefined && !isTakenBack) {
    // Else what the start records would come after it, and stay.
    await recorded(id, snapshot);
    await apps.change(id, ({ active }) => (active === snapshot ? { active: serves } : {}));
  }
  const state = type === 'app.crashed' || type === 'app.returned' ? 'crashed' : 'running';
  const about = {
    user,
    app,
    snapshot,
    ...(isTakenBack ? { restart: event.entry } : serves !== undefined && { serves }),
  };
  const isNew = await events.add({ ...about, id: eventId, state, reason, log: [...lines] });
  if (!isNew) return;
  log({ type: 'app.state', user, app, snapshot, detail: state });
  onEvent();
}
