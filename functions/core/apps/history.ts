import type { AppOwner } from '../entry/app-owner.ts';
import type { Entry } from '../entry/entry.ts';
import { deployOfSnapshot } from '../entry/snapshot.ts';
import { failsAs } from '../errors.ts';
import type { Application, Applications } from '../ports/applications.ts';
import type { AppFact, AppFacts, AppOwners } from '../ports/facts.ts';
import type { LogReader } from '../ports/log.ts';

/** What the platform and the log know of applications. */
export interface AppPorts {
  readonly applications: Applications;
  readonly appFacts: Pick<AppFacts, 'named'>;
  readonly facts: Pick<AppOwners, 'appOwner'>;
  readonly reader: Pick<LogReader, 'read' | 'page'>;
}

/** The deploys of an application that still matter. */
export interface AppHistory {
  /** The entry that the application runs; null before its first successful deploy. */
  readonly active: Entry | null;
  /** The successful deploys that the platform could start again, without the running one; newest first. */
  readonly earlier: readonly Entry[];
  /** The owner of an application without a successful deploy; otherwise null. */
  readonly owner: AppOwner | null;
}

/**
 * Returns the history of an application. A snapshot's id contains the number of its entry, so it takes one read for
 * each snapshot that the platform still has, however long the log is. Throws `status:db:query_fail`.
 */
export async function historyOf(
  app: Application,
  fact: AppFact | null,
  ports: Pick<AppPorts, 'applications' | 'reader' | 'facts'>,
): Promise<AppHistory> {
  if (app.state === 'never') {
    return { active: null, earlier: [], owner: await ownerIn(app, ports) };
  }
  const held = await ports.applications.snapshots(app);
  const number = fact?.active ?? null;
  const others = held.filter((id) => id !== app.snapshot);
  const [active, ...entries] = await Promise.all([
    number === null ? null : ports.reader.read(app.user, number).catch(unreadable),
    ...others.map((id) => deployOf(app, id, ports)),
  ]);
  const earlier = entries.flatMap((entry) => entry ?? []).sort((one, other) => other.number - one.number);
  return { active, earlier, owner: active ? null : await ownerIn(app, ports) };
}

function ownerIn({ user, app }: Application, { facts }: Pick<AppPorts, 'facts'>): Promise<AppOwner | null> {
  return facts.appOwner(user, app).catch(unreadable);
}

/** Returns the successful deploy that made a snapshot; null when it failed. */
async function deployOf(app: Application, snapshot: string, ports: Pick<AppPorts, 'reader'>): Promise<Entry | null> {
  const number = deployOfSnapshot(snapshot);
  const entry = number === null ? null : await ports.reader.read(app.user, number).catch(unreadable);
  return entry?.status === 'ok' && entry.snapshot === snapshot ? entry : null;
}

/** For `catch`: throws `status:db:query_fail`. */
export const unreadable = failsAs('status:db:query_fail', 'The log could not be read; ask again.');
