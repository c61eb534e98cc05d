import { type Entry, entryId, isFinal } from '../../../functions/core/entry/entry.ts';
import type { CommitRef, RepositoryRef } from '../../../functions/core/payload/delivery.ts';
import type { Job } from '../../../functions/core/pipeline/job.ts';
import { stages } from '../../../functions/core/pipeline/pipeline.ts';
import type { Backlog } from '../../../functions/core/ports/backlog.ts';
import type { BranchFacts, DeployFacts, Gate } from '../../../functions/core/ports/deploy-facts.ts';
import type { Appending, DeployLog, Step, Taken, Turn } from '../../../functions/core/ports/deploy-log.ts';
import type { Ids } from '../../../functions/core/ports/ids.ts';
import type { Badge, LogReader, PageQuery } from '../../../functions/core/ports/log-reader.ts';
import type { StoredToken, TokenStore } from '../../../functions/core/ports/token-store.ts';
import { Known } from './known.ts';

interface Row {
  entry: Entry;
  attempts: number;
  lease: number | null;
  takenAt: number | null;
  due: number;
}

class ShownBadge {
  outcome?: Badge;
  readonly underWay = new Map<number, Badge>();
}

/** The in-memory twin of the log, for unit tests of what works on it. */
export class MemoryLog implements DeployLog, LogReader, DeployFacts, Backlog {
  readonly #rows = new Map<string, Row[]>();
  readonly #feed = new Map<string, Entry[]>();
  readonly #once = new Map<string, number>();
  readonly #known = new Known();
  readonly #claims = new Map<string, number>();
  readonly #badges = new Map<string, ShownBadge>();

  constructor(readonly ids: Ids) {}

  async append(appending: Appending) {
    const { draft, once, replaces } = appending;
    const known = once === null ? undefined : this.#once.get(`${draft.user} ${once}`);
    if (known !== undefined && known !== replaces) return { duplicateOf: known };
    const rows = this.#rowsOf(draft.user);
    const number = rows.length + 1;
    const entry = { ...draft, number, id: entryId(this.ids.hex(20), number), seq: this.#next(draft.user) };
    rows.push({ entry, attempts: 0, lease: null, takenAt: null, due: appending.due });
    if (once !== null) this.#once.set(`${draft.user} ${once}`, number);
    this.#known.append(entry, appending);
    this.#publish(entry);
    if (!isFinal(entry.status)) this.#show(entry);
    return { entry };
  }

  async read(user: string, number: number): Promise<Entry | null> {
    const row = this.#rowsOf(user)[number - 1];
    return row ? shown(row) : null;
  }

  async take(turn: Turn): Promise<Taken> {
    const row = this.#rowsOf(turn.user)[turn.number - 1];
    if (!row || isFinal(row.entry.status) || row.entry.status === 'held') return { outcome: 'over' };
    if (row.entry.stage !== turn.stage) {
      return place(row.entry.stage) > place(turn.stage) ? { outcome: 'late', entry: shown(row) } : { outcome: 'over' };
    }
    if (row.lease !== null && row.lease >= turn.now) return { outcome: 'busy', until: row.lease };
    row.lease = turn.leaseUntil;
    row.due = turn.due;
    row.attempts += 1;
    row.takenAt ??= turn.now;
    return { outcome: 'taken', entry: shown(row), attempts: row.attempts };
  }

  async release({ user, number, stage }: Pick<Turn, 'user' | 'number' | 'stage'>, due: number): Promise<void> {
    const row = this.#rowsOf(user)[number - 1];
    if (!row || row.entry.stage !== stage || row.lease === null) return;
    row.lease = null;
    row.due = due;
    row.attempts -= 1;
  }

  async move(user: string, number: number, change: (entry: Entry) => Step | null): Promise<Entry | null> {
    const row = this.#rowsOf(user)[number - 1];
    if (!row) return null;
    const step = change(shown(row));
    if (!step) return shown(row);
    // Without waiting for anything in between: from the look at the entry to here is one transaction.
    if (step.ifVersion !== undefined && this.#known.gate(step.entry).version !== step.ifVersion) return null;
    const sameStage = step.entry.stage === row.entry.stage && step.entry.status !== 'held';
    row.entry = { ...step.entry, seq: this.#next(user) };
    row.attempts = sameStage ? row.attempts : 0;
    row.takenAt = sameStage ? row.takenAt : null;
    row.lease = step.keepsLease ? row.lease : null;
    row.due = step.due;
    this.#known.move(row.entry, step);
    this.#publish(row.entry);
    this.#show(row.entry);
    return row.entry;
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

  async badge(user: string, repository: string): Promise<Badge> {
    const badge = this.#badges.get(`${user} ${repository.toLowerCase()}`);
    const newest = Math.max(...(badge?.underWay.keys() ?? []));
    return badge?.underWay.get(newest) ?? badge?.outcome ?? 'unknown';
  }

  async gate(user: string, { sha, ...repository }: CommitRef, branch: string): Promise<Gate> {
    return this.#known.gate({ user, repository, sha, branch });
  }

  async branch(user: string, repository: RepositoryRef, branch: string): Promise<BranchFacts> {
    return this.#known.branch(user, repository, branch);
  }

  async commits(user: string, repository: RepositoryRef, branch: string, digits: string): Promise<readonly string[]> {
    return this.#known.commits(user, repository, branch, digits);
  }

  async claim(user: string, app: string, place: number): Promise<boolean> {
    const key = `${user} ${app}`;
    if ((this.#claims.get(key) ?? 0) > place) return false;
    this.#claims.set(key, place);
    return true;
  }

  async due(now: number, limit: number): Promise<readonly Job[]> {
    const waiting = [...this.#rows.values()].flat().filter((row) => !isFinal(row.entry.status) && row.due <= now);
    waiting.sort((one, other) => one.due - other.due);
    return waiting.slice(0, limit).map(({ entry: { user, number } }) => ({ user, number }));
  }

  async postpone({ user, number }: Job, due: number, freesLease: boolean): Promise<void> {
    const row = this.#rowsOf(user)[number - 1];
    if (!row || isFinal(row.entry.status)) return;
    row.due = due;
    if (freesLease) row.lease = null;
  }

  #rowsOf(user: string): Row[] {
    return getOr(this.#rows, user, () => []);
  }

  #next(user: string): number {
    return (this.#feed.get(user)?.length ?? 0) + 1;
  }

  #publish(entry: Entry): void {
    getOr(this.#feed, entry.user, () => []).push(entry);
  }

  #show(entry: Entry): void {
    if (!entry.repository) return;
    const badge = getOr(this.#badges, `${entry.user} ${entry.repository.name.toLowerCase()}`, () => new ShownBadge());
    if (isFinal(entry.status)) badge.underWay.delete(entry.number);
    else badge.underWay.set(entry.number, entry.status === 'held' ? 'held' : 'deploying');
    if (entry.status === 'ok') badge.outcome = 'ok';
    if (entry.status === 'error' || entry.status === 'expired') badge.outcome = 'failed';
  }
}

/** The in-memory twin of the token store. */
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

function shown({ entry, takenAt, attempts }: Row): Entry {
  if (takenAt === null || isFinal(entry.status)) return entry;
  const earlier = entry.stages.filter((record) => record.name !== entry.stage);
  const record = { name: entry.stage, status: 'running', startedAt: takenAt, finishedAt: null, attempts, detail: null };
  return { ...entry, stages: [...earlier, record as Entry['stages'][number]] };
}

function place(name: string): number {
  return stages.findIndex((stage) => stage.name === name);
}

function getOr<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  const value = map.get(key) ?? make();
  map.set(key, value);
  return value;
}
