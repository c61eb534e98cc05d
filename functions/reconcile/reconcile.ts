import { forEachLimit } from '../core/concurrency.ts';
import { DeployError } from '../core/errors.ts';
import type { TrackedApp, TrackedApps } from '../core/ports/facts.ts';
import type { AppRef } from '../core/ports/platform.ts';
import type { Clock, Ids } from '../core/ports/system.ts';
import { type ComparePorts, compareApp } from '../core/reconcile/compare.ts';

interface ReconcilePorts extends ComparePorts {
  readonly apps: TrackedApps;
  readonly clock: Clock;
  readonly ids: Ids;
  /** Minutes between two comparisons of an application; 0: none is compared. */
  readonly minutes: number;
}

const MAX_APPS = 1000;
const MAX_AT_A_TIME = 8;
/** A run begins no comparison after that time. What is left stays due, for the next run. */
const RUN_MS = 4 * 60_000;

/** One run, with the hosts that have asked for a pause. */
interface Run {
  readonly startedAt: number;
  readonly pauses: Map<string, number>;
}

/**
 * Compares the applications that are due with the tips of their branches; with `everything` all of them, due or not,
 * for a start after which pushes may have been missed. Returns the number of applications. A host that does not answer,
 * a branch that was deleted or a repository that is not visible is said in the log of the function, and nowhere else.
 */
export async function reconcile(ports: ReconcilePorts, everything = false): Promise<number> {
  if (ports.minutes === 0) return 0;
  const startedAt = ports.clock.now();
  const apps = await ports.apps.toCompare(everything ? Number.MAX_SAFE_INTEGER : startedAt, MAX_APPS);
  const run = { startedAt, pauses: new Map<string, number>() };
  await forEachLimit(apps, MAX_AT_A_TIME, async (app) => {
    await compare(app, run, ports).catch((error: unknown) => ports.trace('not compared', { ...named(app), error }));
  });
  return apps.length;
}

async function compare(app: AppRef, run: Run, ports: ReconcilePorts): Promise<void> {
  const { clock, apps } = ports;
  const at = clock.now();
  if (at > run.startedAt + RUN_MS) return;
  const next = at + ports.minutes * 60_000;
  const tracked = await apps.tracked(app);
  if (!tracked) return apps.compared(app, { dueAt: next });
  const pausedUntil = run.pauses.get(limitOf(tracked)) ?? 0;
  if (pausedUntil > at) return apps.compared(app, { dueAt: pausedUntil });
  try {
    await compareTracked(tracked, at, ports);
    await apps.compared(app, { at, dueAt: next });
  } catch (error) {
    ports.trace('not compared', { ...named(app), error });
    const pause = error instanceof DeployError ? error.retryAfter : undefined;
    if (pause !== undefined) run.pauses.set(limitOf(tracked), at + pause * 1000);
    await apps.compared(app, { dueAt: Math.max(next, at + (pause ?? 0) * 1000) });
  }
}

async function compareTracked(app: TrackedApp, at: number, ports: ReconcilePorts): Promise<void> {
  const { tip, entry, reason } = await compareApp(app, { uuid: ports.ids.uuid(), base: null, at }, ports);
  if (entry?.operation) ports.trace('preview removed', { ...named(app), number: entry.number, reason });
  else if (entry) ports.trace('missed commit found', { ...named(app), number: entry.number, tip, reason });
  else if (tip === null && !app.owner.pullRequest) ports.trace('nothing to compare with', { ...named(app), reason });
}

/** Hosts count requests by token, and a token belongs to a user. */
function limitOf({ user, owner }: TrackedApp): string {
  return `${user} ${owner.host}`;
}

function named({ user, app }: AppRef) {
  return { user, app };
}
