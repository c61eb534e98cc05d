import { type AppOwner, isSameOwner } from '../../../functions/core/entry/app-owner.ts';
import { type Entry, entryId, isDeploy, isFinal } from '../../../functions/core/entry/entry.ts';
import { withRunningStage } from '../../../functions/core/entry/running-stage.ts';
import { applied, dueAfter, startsStage, type Transition } from '../../../functions/core/entry/transition.ts';
import type { CommitRef, RepositoryRef } from '../../../functions/core/payload/delivery.ts';
import type { Job } from '../../../functions/core/pipeline/job.ts';
import { isAfter } from '../../../functions/core/pipeline/pipeline.ts';
import type { AppFact, AppFacts } from '../../../functions/core/ports/apps/app-facts.ts';
import type { TrackedApp, TrackedApps } from '../../../functions/core/ports/apps/tracked-apps.ts';
import type { Backlog } from '../../../functions/core/ports/backlog.ts';
import type { BranchFacts, CommitState, DeployFacts, OwnerClaim } from '../../../functions/core/ports/deploy-facts.ts';
import type {
  AppendRequest,
  ClaimedStage,
  ClaimResult,
  DeployLog,
  StageClaim,
} from '../../../functions/core/ports/deploy-log.ts';
import type { AppRef } from '../../../functions/core/ports/hosting-platform.ts';
import type { Ids } from '../../../functions/core/ports/ids.ts';
import type { Badge, LogReader, PageQuery } from '../../../functions/core/ports/log-reader.ts';
import type { StoredToken, TokenStore } from '../../../functions/core/ports/token-store.ts';
import { Known, tracked } from './known.ts';

interface Row {
  entry: Entry;
  attempts: number;
  lease: number | null;
  takenAt: number | null;
  /** Null: the sweeper has nothing to do. */
  dueAt: number | null;
}

class ShownBadge {
  outcome?: Badge;
  crashed = false;
  readonly underWay = new Map<number, Badge>();
}

/** An in-memory fake of the log, in all its roles. */
export class MemoryLog implements DeployLog, LogReader, DeployFacts, AppFacts, TrackedApps, Backlog {
  readonly #rows = new Map<string, Row[]>();
  readonly #feed = new Map<string, Entry[]>();
  readonly #deliveries = new Map<string, number>();
  readonly #known = new Known();
  readonly #claims = new Map<string, number>();
  readonly #overruled = new Map<string, number>();
  readonly #active = new Map<string, Map<string, number>>();
  readonly #owners = new Map<string, AppOwner>();
  readonly #tracked = new Map<string, TrackedApp & { readonly dueAt: number }>();
  readonly #badges = new Map<string, ShownBadge>();

  constructor(readonly ids: Ids) {}

  async append(request: AppendRequest) {
    const { draft, deliveryKey, replaces } = request;
    const known = deliveryKey === null ? undefined : this.#deliveries.get(`${draft.user} ${deliveryKey}`);
    if (known !== undefined && known !== replaces) return { duplicateOf: known };
    const rows = this.#rowsOf(draft.user);
    const number = rows.length + 1;
    const seq = this.#next(draft.user);
    const order = draft.operation && { order: seq };
    const entry = { ...draft, ...order, number, id: entryId(this.ids.hex(20), number), seq };
    if (request.overrules !== undefined) this.#overruled.set(`${draft.user} ${request.overrules}`, number);
    const dueAt = isFinal(entry.status) ? null : request.dueAt;
    rows.push({ entry, attempts: 0, lease: null, takenAt: null, dueAt });
    if (deliveryKey !== null) this.#deliveries.set(`${draft.user} ${deliveryKey}`, number);
    this.#known.append(entry, request);
    this.#publish(entry);
    if (!isFinal(entry.status)) this.#show(entry);
    return { entry };
  }

  async read(user: string, number: number): Promise<Entry | null> {
    const row = this.#rowsOf(user)[number - 1];
    return row ? shown(row) : null;
  }

  async claim({ user, number, stage, now, leaseUntil, dueAt }: StageClaim): Promise<ClaimResult> {
    const row = this.#rowsOf(user)[number - 1];
    if (!row || isFinal(row.entry.status) || row.entry.status === 'held') return { outcome: 'closed' };
    if (row.entry.stage !== stage) {
      return isAfter(row.entry.stage, stage) ? { outcome: 'alreadyDone', entry: shown(row) } : { outcome: 'closed' };
    }
    if (row.lease !== null && row.lease >= now) return { outcome: 'locked', until: row.lease };
    row.lease = leaseUntil;
    row.dueAt = dueAt;
    row.attempts += 1;
    row.takenAt ??= now;
    return { outcome: 'claimed', entry: shown(row), attempts: row.attempts };
  }

  async releaseClaim({ user, number, stage }: ClaimedStage, dueAt: number): Promise<void> {
    const row = this.#rowsOf(user)[number - 1];
    if (!row || row.entry.stage !== stage || row.lease === null) return;
    row.lease = null;
    row.dueAt = dueAt;
    row.attempts -= 1;
  }

  async move(user: string, number: number, decide: (entry: Entry) => Transition | null): Promise<Entry | null> {
    const row = this.#rowsOf(user)[number - 1];
    if (!row) return null;
    const before = shown(row);
    const transition = decide(before);
    if (!transition) return before;
    // Nothing is awaited from the read of the entry to here, so this is one transaction.
    const { ifCommitVersion, keepsLease } = transition;
    if (ifCommitVersion !== undefined && this.#known.commitState(tracked(before)).version !== ifCommitVersion)
      return null;
    const after = applied(before, transition, this.#next(user));
    const starts = startsStage(before, after);
    row.entry = after;
    row.attempts = starts ? 0 : row.attempts;
    row.takenAt = starts ? null : row.takenAt;
    row.lease = keepsLease ? row.lease : null;
    row.dueAt = dueAfter(after, transition);
    this.#known.move(after, transition);
    if (transition.activates && after.appName) this.#activeOf(user).set(after.appName, number);
    if (transition.deactivates && after.appName) this.#activeOf(user).delete(after.appName);
    this.#publish(after);
    this.#show(after);
    return after;
  }

  async page({ user, app, skip, limit }: PageQuery) {
    const all = this.#rowsOf(user).map(shown);
    const rows = all.filter((entry) => app === null || entry.appName === app).reverse();
    return { total: rows.length, entries: rows.slice(skip, skip + limit) };
  }

  async changes(user: string, since: number, limit: number): Promise<readonly Entry[]> {
    return (this.#feed.get(user) ?? []).filter(({ seq }) => seq > since).slice(0, limit);
  }

  async last(user: string): Promise<number> {
    return this.#feed.get(user)?.length ?? 0;
  }

  async badge(user: string, repository: string, path?: string): Promise<Badge> {
    const badge = this.#badges.get(badgeKey(user, repository, path));
    const newest = Math.max(...(badge?.underWay.keys() ?? []));
    return badge?.underWay.get(newest) ?? (badge?.crashed ? 'crashed' : badge?.outcome) ?? 'unknown';
  }

  async commitState(user: string, { sha, ...repository }: CommitRef, track: string): Promise<CommitState> {
    return this.#known.commitState({ user, repository, sha, track });
  }

  async branch(user: string, repository: RepositoryRef, track: string): Promise<BranchFacts> {
    return this.#known.branch(user, repository, track);
  }

  async commits(user: string, repository: RepositoryRef, track: string, digits: string): Promise<readonly string[]> {
    return this.#known.commits(user, repository, track, digits);
  }

  async claimApp(user: string, app: string, order: number): Promise<boolean> {
    const key = `${user} ${app}`;
    if ((this.#claims.get(key) ?? 0) > order) return false;
    this.#claims.set(key, order);
    return true;
  }

  async apps(user: string): Promise<readonly AppFact[]> {
    const names = this.#rowsOf(user).flatMap(({ entry: { appName } }) => appName ?? []);
    return [...new Set(names)].sort().map((name) => {
      const entries = names.filter((one) => one === name).length;
      return { name, active: this.#activeOf(user).get(name) ?? null, entries };
    });
  }

  async claimedOrder(user: string, app: string): Promise<number> {
    return this.#claims.get(`${user} ${app}`) ?? 0;
  }

  async overruledUntil(user: string, app: string): Promise<number> {
    return this.#overruled.get(`${user} ${app}`) ?? 0;
  }

  async appOwner(user: string, app: string): Promise<AppOwner | null> {
    return this.#owners.get(`${user} ${app}`) ?? null;
  }

  async ownApp(user: string, app: string, { branch, ...owner }: OwnerClaim): Promise<AppOwner> {
    const key = `${user} ${app}`;
    const known = this.#owners.get(key);
    if (known && !isSameOwner(known, owner)) return known;
    this.#owners.set(key, owner);
    const before = this.#tracked.get(key) ?? { comparedAt: 0, dueAt: 0 };
    if (branch !== undefined) this.#tracked.set(key, { ...before, user, app, owner, branch });
    return owner;
  }

  async freeApp(user: string, app: string): Promise<void> {
    this.#owners.delete(`${user} ${app}`);
    this.#tracked.delete(`${user} ${app}`);
  }

  async toCompare(now: number, limit: number): Promise<readonly AppRef[]> {
    const due = [...this.#tracked.values()].filter(({ dueAt }) => dueAt <= now);
    due.sort((one, other) => one.dueAt - other.dueAt);
    return due.slice(0, limit).map(({ user, app }) => ({ user, app }));
  }

  async tracked({ user, app }: AppRef): Promise<TrackedApp | null> {
    const found = this.#tracked.get(`${user} ${app}`);
    if (!found) return null;
    const { dueAt: _, ...tracked } = found;
    return tracked;
  }

  async compared(
    { user, app }: AppRef,
    { at, dueAt }: { readonly at?: number; readonly dueAt: number },
  ): Promise<void> {
    const key = `${user} ${app}`;
    const found = this.#tracked.get(key);
    if (found) this.#tracked.set(key, { ...found, dueAt, comparedAt: at ?? found.comparedAt });
  }

  async due(now: number, limit: number): Promise<readonly Job[]> {
    const waiting = [...this.#rows.values()]
      .flat()
      .flatMap(({ entry: { user, number }, dueAt }) =>
        dueAt !== null && dueAt <= now ? [{ user, number, dueAt }] : [],
      );
    waiting.sort((one, other) => one.dueAt - other.dueAt);
    return waiting.slice(0, limit).map(({ user, number }) => ({ user, number }));
  }

  async postpone({ user, number }: Job, dueAt: number, freesLease: boolean): Promise<void> {
    const row = this.#rowsOf(user)[number - 1];
    if (!row || row.dueAt === null) return;
    row.dueAt = dueAt;
    if (freesLease) Object.assign(row, { lease: null, takenAt: null });
  }

  async release({ user, number }: Job, dueAt: number): Promise<boolean> {
    const row = this.#rowsOf(user)[number - 1];
    if (!row || row.dueAt === null || (row.lease === null && row.dueAt >= dueAt)) return false;
    const hadLease = row.lease !== null;
    Object.assign(row, { dueAt, lease: null, takenAt: null });
    return hadLease;
  }

  async close({ user, number, seq }: Job & { readonly seq: number }): Promise<void> {
    const row = this.#rowsOf(user)[number - 1];
    if (row?.entry.seq === seq) row.dueAt = null;
  }

  #rowsOf(user: string): Row[] {
    return getOr(this.#rows, user, () => []);
  }

  #activeOf(user: string): Map<string, number> {
    return getOr(this.#active, user, () => new Map<string, number>());
  }

  #next(user: string): number {
    return (this.#feed.get(user)?.length ?? 0) + 1;
  }

  #publish(entry: Entry): void {
    getOr(this.#feed, entry.user, () => []).push(entry);
  }

  #show(entry: Entry): void {
    const { user, repository, path } = entry;
    if (!repository || !isDeploy(entry)) return;
    const keys = new Set([badgeKey(user, repository.name), badgeKey(user, repository.name, path)]);
    for (const key of keys) this.#showAt(key, entry);
  }

  #showAt(key: string, entry: Entry): void {
    const badge = getOr(this.#badges, key, () => new ShownBadge());
    if (isFinal(entry.status)) badge.underWay.delete(entry.number);
    else badge.underWay.set(entry.number, entry.status === 'held' ? 'held' : 'deploying');
    if (entry.status === 'crashed') badge.crashed = true;
    if (entry.status === 'ok') {
      if (entry.appEvent === undefined) badge.outcome = 'ok';
      badge.crashed = false;
    }
    if (entry.status === 'error' || entry.status === 'expired') badge.outcome = 'failed';
  }
}

/** Returns an in-memory fake of the token store. */
export function memoryTokens(): TokenStore {
  const users = new Map<string, Map<string, StoredToken>>();
  const of = (user: string) => getOr(users, user, () => new Map<string, StoredToken>());
  return {
    get: async (user, host, app) => of(user).get(`${host} ${app}`) ?? null,
    put: async (user, token) => void of(user).set(`${token.host} ${token.app}`, token),
    list: async (user) => [...of(user)].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, token]) => token),
    remove: async (user, host, app) => of(user).delete(`${host} ${app}`),
  };
}

function badgeKey(user: string, repository: string, path = ''): string {
  return `${user} ${repository.toLowerCase()}:${path}`;
}

function shown({ entry, takenAt, attempts }: Row): Entry {
  return withRunningStage(entry, { takenAt, attempts });
}

function getOr<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  const value = map.get(key) ?? make();
  map.set(key, value);
  return value;
}
