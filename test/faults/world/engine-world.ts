import { createHash, randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { keyFileSealer } from '../../../functions/adapters/sealers/key-file.ts';
import { Connection } from '../../../functions/adapters/stores/sqlite/connection.ts';
import type { SqliteStores } from '../../../functions/adapters/stores/sqlite/open.ts';
import { sqliteReader } from '../../../functions/adapters/stores/sqlite/reader.ts';
import { sqliteTokens } from '../../../functions/adapters/stores/sqlite/tokens.ts';
import { Writer } from '../../../functions/adapters/stores/sqlite/writer.ts';
import { systemClock } from '../../../functions/adapters/system/clock.ts';
import { systemIds } from '../../../functions/adapters/system/ids.ts';
import { clientError } from '../../../functions/api/answers.ts';
import type { HttpRequest } from '../../../functions/api/http.ts';
import { tarballKey } from '../../../functions/core/entry/entry.ts';
import type { HostingPlatform } from '../../../functions/core/ports/platform.ts';
import type { Clock } from '../../../functions/core/ports/system.ts';
import { type Engine, openEngine } from '../../../lib/engine/engine.ts';
import { storesIn } from '../../../lib/engine/ports.ts';
import { engineUsers } from '../../../lib/engine/users.ts';
import { NO_RESERVE } from '../../../lib/files/disk-reserve.ts';
import { memoryPorts } from '../../fakes/platform-ports.ts';
import { type Fault, httpAnswers } from './faults.ts';
import { type FaultyPlatform, faultyPlatform, type Outgoing } from './faulty-platform.ts';
import { type FakeHost, fakeHost } from './host.ts';
import type { UserLog } from './invariants.ts';
import { type FaultProxy, faultProxy } from './proxy.ts';

/** What the engine calls. */
export const called = ['platform', 'host'] as const;
export type Called = (typeof called)[number];

/** A request to an endpoint, as far as they differ. */
export interface EngineCall
  extends Pick<HttpRequest, 'user'>,
    Partial<Pick<HttpRequest, 'params' | 'query' | 'headers'>> {
  readonly endpoint: string;
  readonly resource: string;
  readonly body?: object;
}

/** The status of an answer, and what of its body matters. */
export interface EngineAnswer {
  readonly status: number;
  readonly body: { readonly id?: string; readonly code?: string };
}

/** The engine on a log in a folder, with a proxy in front of all that it calls. */
export interface EngineWorld {
  readonly host: FakeHost;
  readonly platform: FaultyPlatform;
  readonly clock: Clock;
  /** A connection of the test's own to the log. */
  readonly connection: Connection;
  /** Moves the engine's time on; its timers do not notice. */
  pass(milliseconds: number): void;
  /** Has commit statuses set for a user. */
  pair(user: string): Promise<void>;
  post(call: EngineCall): Promise<EngineAnswer>;
  sweep(): Promise<void>;
  /** Ends the engine where it is: nothing that it does from now on has an effect. Then starts it again. */
  restart(): Promise<void>;
  logOf(user: string): Promise<UserLog>;
  /** Waits until every entry has ended, and all that follows is done. */
  settle(): Promise<void>;
  close(): Promise<void>;
}

/** The longest that a call hangs here: it costs real time. */
const HANGS_MS = 1_500;
/** After so long without a change the time passes: longer than anything hangs. */
const QUIET_MS = 2_500;
const RETRY_AFTER_SECONDS = 1;
const SETTLE_LIMIT_MS = 240_000;

/** Starts the world; `decide` returns what happens to each call of the engine. */
export async function startEngineWorld(
  dataDir: string,
  decide: (service: Called) => Fault | null = () => null,
): Promise<EngineWorld> {
  rmSync(dataDir, { recursive: true, force: true });
  mkdirSync(dataDir, { recursive: true });
  const host = await fakeHost();
  const platform = faultyPlatform(outgoing(decide), RETRY_AFTER_SECONDS);
  const connection = new Connection(join(dataDir, 'service.db'));
  const world = new World({ dataDir, host, platform, connection, decide });
  await world.start();
  return world;
}

interface WorldParts extends Pick<EngineWorld, 'host' | 'platform' | 'connection'> {
  readonly dataDir: string;
  readonly decide: (service: Called) => Fault | null;
}

/** Returns how a call of the platform meets its fault. */
function outgoing(decide: WorldParts['decide']): Outgoing {
  return async (_what, send) => {
    const fault = decide('platform');
    if (fault === 'hangs') await systemClock.sleep(HANGS_MS);
    try {
      return await send(fault);
    } finally {
      if (fault === 'late') await systemClock.sleep(HANGS_MS);
    }
  };
}

/** What an engine calls until it is ended: from then on nothing has an effect. */
function whileRunning(hosting: HostingPlatform, running: AbortSignal): HostingPlatform {
  const methods = Object.entries(hosting) as [string, (...args: unknown[]) => Promise<unknown>][];
  const checked = methods.map(([method, call]) => [
    method,
    async (...args: unknown[]) => {
      running.throwIfAborted();
      return call(...args);
    },
  ]);
  return Object.fromEntries(checked);
}

class World implements EngineWorld {
  readonly #parts: WorldParts;
  readonly host: FakeHost;
  readonly platform: FaultyPlatform;
  readonly connection: Connection;
  readonly clock: Clock;
  readonly #context;
  #passed = 0;
  #engine!: Engine;
  #stores!: SqliteStores;
  #proxy: FaultProxy | undefined;
  #running = new AbortController();

  constructor(parts: WorldParts) {
    this.#parts = parts;
    this.host = parts.host;
    this.platform = parts.platform;
    this.connection = parts.connection;
    this.clock = { ...systemClock, now: () => systemClock.now() + this.#passed };
    const { connection, clock } = this;
    this.#context = { connection, writer: new Writer(connection), clock, ids: systemIds };
  }

  async start(): Promise<void> {
    const { dataDir, decide } = this.#parts;
    const host = await faultProxy(httpAnswers(RETRY_AFTER_SECONDS), {
      decide: () => decide('host'),
      hangsMs: HANGS_MS,
    });
    host.target = this.host.url;
    this.#proxy = host;
    const running = new AbortController();
    this.#running = running;
    this.#stores = storesIn(dataDir, this.clock);
    this.#engine = openEngine({
      dataDir,
      stores: this.#stores,
      users: engineUsers(this.#stores.users, this.clock),
      platform: { ...memoryPorts(this.platform.memory), hosting: whileRunning(this.platform.hosting, running.signal) },
      repositoryHosts: [{ name: 'local', kind: 'github', api: host.url, web: this.host.url }],
      ...{ defaultBranch: 'main', holdMinutes: 60, reconcileMinutes: 0, previewDays: 14, retryBaseSeconds: 0.5 },
      streams: { seconds: 60, perUser: 10, inAll: 10 },
      ...{ hookSecrets: {}, publicUrl: null, signalsUrl: () => 'ws://service.example.com', repositoriesUrl: '' },
      page: pathToFileURL(`${dataDir}/`),
      clock: this.clock,
      reserve: NO_RESERVE,
      log: (line) => process.env.TRACE && console.error(JSON.stringify(line)),
    });
    await this.#engine.resume();
  }

  async #stop(): Promise<void> {
    // From the first call on nothing is written.
    const closed = this.#engine.close();
    this.#running.abort();
    await this.#proxy?.close();
    await closed;
    await this.#stores.close();
  }

  pass(milliseconds: number): void {
    this.#passed += milliseconds;
  }

  async pair(user: string): Promise<void> {
    const sealer = keyFileSealer(join(this.#parts.dataDir, 'token.key'));
    const sealed = await sealer.seal('host-token', { purpose: 'repo-token', user, host: 'local' });
    const token = { host: 'local', app: '*', login: user, scopes: ['repo'], expiresAt: null, sealed };
    await sqliteTokens(this.#context).put(user, token);
  }

  async post({ endpoint, body = {}, ...call }: EngineCall): Promise<EngineAnswer> {
    const work = this.#engine.endpoints[endpoint];
    if (!work || !('answer' in work)) throw new Error(`There is no endpoint ${endpoint}.`);
    const uuid = randomUUID();
    const request: HttpRequest = {
      ...{ method: 'POST', params: {}, query: {}, headers: {}, path: call.resource, ...call },
      ...{ base: 'http://service.example.com', uuid, body: Buffer.from(JSON.stringify(body)) },
    };
    try {
      const answer = await work.answer(request);
      return { status: answer.status, body: answer.body as EngineAnswer['body'] };
    } catch (error) {
      const { status, code } = clientError(error, uuid, this.#engine.trace);
      return { status, body: { code } };
    }
  }

  sweep(): Promise<void> {
    return this.#engine.sweep();
  }

  async restart(): Promise<void> {
    await this.#stop();
    await this.start();
  }

  async logOf(user: string): Promise<UserLog> {
    const reader = sqliteReader(this.#context);
    const { entries } = await reader.page({ user, app: null, skip: 0, limit: 10_000 });
    const numbers = (condition: string) =>
      this.connection
        .all<{ number: number }>(`SELECT number FROM entries WHERE user = ? AND ${condition}`, user)
        .map(({ number }) => number);
    const apps = this.connection.all<{ name: string; active: number | null }>(
      'SELECT name, active FROM apps WHERE user = ?',
      user,
    );
    const counted = this.connection.get<UserLog['counted']>('SELECT entries, changes FROM users WHERE name = ?', user);
    const files = this.#tarballs();
    return {
      entries: [...entries].reverse(),
      changes: await reader.changes(user, 0, 100_000),
      counted: counted ?? { entries: 0, changes: 0 },
      listed: numbers('due_at IS NOT NULL'),
      leased: numbers('lease IS NOT NULL'),
      active: new Map(apps.map(({ name, active }) => [name, active])),
      tarballs: entries.map(tarballKey).filter((key) => files.has(key)),
    };
  }

  /** Returns whether there is a file for a key, whose name is its digest. */
  #tarballs(): { has(key: string): boolean } {
    const folder = join(this.#parts.dataDir, 'tarballs');
    const names = new Set(existsSync(folder) ? readdirSync(folder) : []);
    return { has: (key) => names.has(`${createHash('sha256').update(key).digest('hex')}.tar.gz`) };
  }

  async settle(): Promise<void> {
    const end = Date.now() + SETTLE_LIMIT_MS;
    let seen = '';
    let since = Date.now();
    while (Date.now() < end) {
      await systemClock.sleep(50);
      const { due, state } = this.#progress();
      if (due === null) return;
      if (state !== seen) [seen, since] = [state, Date.now()];
      if (Date.now() - since < QUIET_MS) continue;
      since = Date.now();
      this.pass(Math.max(0, due - this.clock.now()) + 1);
      await this.sweep();
    }
    throw new Error('Not everything came to an end.');
  }

  #progress() {
    const found = this.connection.get<{ due: number | null; changes: number; left: number }>(
      'SELECT min(due_at) AS due, count(due_at) AS left, sum(seq) AS changes FROM entries',
    );
    return { due: found?.due ?? null, state: `${found?.changes} ${found?.left}` };
  }

  async close(): Promise<void> {
    await this.#stop();
    this.connection.close();
    await this.host.close();
    rmSync(this.#parts.dataDir, { recursive: true, force: true, maxRetries: 5 });
  }
}
