import { Readable } from 'node:stream';
import type { HttpRequest } from '../../../functions/api/http.ts';
import { entry } from '../../../functions/api-entry/entry.ts';
import { once } from '../../../functions/core/concurrency.ts';
import { type Entry, isFinal } from '../../../functions/core/entry/entry.ts';
import { MANUAL } from '../../../functions/core/entry/providers.ts';
import { deployOfSnapshot } from '../../../functions/core/entry/snapshot.ts';
import { DeployError } from '../../../functions/core/errors.ts';
import type { CommitRef } from '../../../functions/core/payload/delivery.ts';
import { previewWorld } from '../../contracts/previews.ts';
import type { MemoryHost } from '../../fakes/repository-host.ts';
import { MINUTE, SECOND } from '../entries.ts';
import { request } from '../requests.ts';
import { commitTarball } from '../service/tarballs.ts';
import { appEndpoints, appsPorts } from '../worlds/apps-world.ts';
import type { LogRoles } from '../worlds/pipeline-world.ts';
import { BRANCH, idAt, renameAt } from './calls.ts';
import type { Call, Commit, HostState } from './facts.ts';
import type { Event, History } from './history.ts';
import type { Started } from './judge.ts';
import { ModelRepository } from './repository.ts';

/** Is told what the service does. */
export interface Watcher {
  onCheck?: (entry: Entry) => void;
  onStart?: (started: Started) => void;
}

export type Service = Awaited<ReturnType<typeof openService>>;

/** Packing one for each commit would take most of the time. */
const tarball = once(() => commitTarball({ 'package.json': '{"name":"shop"}' }));

/** The webhook, all stages, the sweep and the comparisons on this log, with a model of a repository as their host. */
export async function openService(history: History, roles: LogRoles, watcher: Watcher) {
  const { user } = roles;
  let starting = 0;
  const claim: typeof roles.log.claim = async (asked, announce) => {
    const result = await roles.log.claim(asked, announce);
    if (result.outcome === 'claimed' && asked.stage === 'check') watcher.onCheck?.(result.entry);
    if (asked.stage === 'start') starting = asked.number;
    return result;
  };
  const log = { ...roles.log, claim };
  const world = await previewWorld({ ...roles, log }, 'shop', idAt(history.host), history.isHeard);
  const { host, clock, queue, platform, trunk } = world;
  const repository = new ModelRepository(history, { now: clock.now, commit: commitTo }, trunk);

  function commitTo(parent: Commit | null, mark: string, owner: string) {
    const files: Record<string, string> = mark === 'unreadable' ? {} : { 'package.json': '{"name":"shop"}' };
    return host.commit({ owner, name: 'shop', files, ...(parent && { parent: parent.ref }) });
  }

  answersOf(host, repository, history);
  const awayUntil = { at: 0 };
  host.tarball = async () => Readable.from([await tarball()]);
  renameAt(host);
  failuresOf(host, { clock, repository, awayUntil, unknownMs: history.unknownMs });
  // Nothing happens between two looks at a build.
  const poll = platform.poll.bind(platform);
  platform.poll = async (ref) => {
    const { state } = await poll(ref);
    return state === 'building' ? platform.poll(ref) : poll(ref);
  };
  const start = platform.start.bind(platform);
  platform.start = async (ref) => {
    const before = serving(ref.app);
    const started = await start(ref);
    const entry = await world.read({ number: starting });
    watcher.onStart?.({ entry, app: ref.app, of: deployOfSnapshot(ref.snapshot) ?? 0, before });
    return started;
  };

  /** Returns the number of the deploy that an application runs; null when it runs none. */
  function serving(app: string): number | null {
    const { serving: snapshot = null } = platform.app({ user, app }) ?? {};
    return snapshot === null ? null : deployOfSnapshot(snapshot);
  }

  const { reader, backlog, facts, appFacts, tracked, settings } = roles;
  const all = { settings, ...reader, ...backlog, ...facts, ...appFacts, ...tracked, ...log };
  const person = appEndpoints(appsPorts({ log: all, platform, queue, host, clock }));
  const ofEntry = entry({ log, appFacts, queue, clock, trace: () => {} });

  async function ask(endpoint: typeof person, resource: string, patch: Partial<HttpRequest>): Promise<boolean> {
    try {
      await endpoint(request({ user, method: 'POST', resource, ...patch, params: { user, ...patch.params } }));
      return true;
    } catch (error) {
      if (error instanceof DeployError) return false;
      throw error;
    }
  }

  /** Returns the first entry of the newest ones for which the endpoint does what is asked. */
  async function ofFirst(what: 'release' | 'cancel'): Promise<Entry | null> {
    const fits = ({ status, operation, provider, environment }: Entry) =>
      environment === undefined &&
      (what === 'release' ? status === 'held' : !isFinal(status) && !operation && provider !== MANUAL);
    const entry = (await world.entries()).find(fits);
    const resource = `/1/status/{user}/changes/{id}/${what}`;
    return entry && (await ask(ofEntry, resource, { params: { id: entry.id } })) ? entry : null;
  }

  /** Whether an entry waits for the host. */
  async function isWaiting(): Promise<boolean> {
    if (awayUntil.at === 0 && history.unknownMs === 0) return false;
    return (await world.entries()).some(({ status, hostAway }) => status === 'running' && hostAway != null);
  }

  let followed = BRANCH;

  return {
    world,
    repository,
    serving,
    /** Brings a call to each webhook. Returns the entry of the first one. */
    hear: async ({ hook }: Call) => {
      const query = { branch: BRANCH, ...(history.ci !== 'auto' && { ci: history.ci }) };
      const entry = await world.call({ ...hook, query: { ...query, previews: history.previews } });
      if (history.hasEnvironment) await world.call({ ...hook, query: { ...query, environment: 'staging' } });
      return entry;
    },
    /**
     * Runs so many stages, those of a repository in their order, and lets time pass for what waits for the host. Returns
     * whether nothing is left to do.
     */
    async work(most: number): Promise<boolean> {
      for (let done = 0; done < most; done += 1) {
        const job = queue.sent.shift();
        if (job && !(await world.deliver(job))) queue.sent.push(job);
        if (job) continue;
        if (!(await isWaiting())) return true;
        clock.pass(MINUTE);
        await world.sweep();
      }
      return queue.sent.length === 0 && !(await isWaiting());
    },
    /** The host does not answer for some time, unless it was away shortly before. Returns for how long. */
    leave(pick: number): string {
      if (clock.now() < awayUntil.at + 10 * MINUTE) return '';
      const [words, duration] = AWAY[pick % AWAY.length] ?? ['2 s', 2 * SECOND];
      awayUntil.at = clock.now() + duration;
      return words;
    },
    returnHost(): void {
      clock.pass(Math.max(0, awayUntil.at - clock.now()));
    },
    /** A person has the application follow another branch, or the first one again. Returns which; null when refused. */
    async follow(): Promise<string | null> {
      const branch = followed === BRANCH ? OTHER : BRANCH;
      const params = { application: 'shop' };
      const body = new TextEncoder().encode(JSON.stringify({ branch }));
      const isDone = await ask(person, '/1/apps/{user}/{application}/settings', { method: 'PATCH', params, body });
      if (isDone) followed = branch;
      return isDone ? branch : null;
    },
    /** A person connects the repository, by the name that it has now. */
    connect(): Promise<boolean> {
      const at = { host: 'memory', owner: 'ann', name: repository.name };
      const body = new TextEncoder().encode(JSON.stringify({ repository: at, branch: BRANCH }));
      return ask(person, '/1/apps/{user}', { body });
    },
    ask: ofFirst,
    /** A person's request about the application. Returns whether it was accepted. */
    operate: (what: Extract<Event, 'rollback' | 'redeploy' | 'deploy'>): Promise<boolean> =>
      ask(person, `/1/apps/{user}/{application}/${what}`, { params: { application: 'shop' } }),
    /** A process ends, perhaps within a stage, and another one begins with what the log has. */
    async restart(dies: boolean): Promise<void> {
      const [job] = queue.sent.splice(0);
      if (job && dies) await world.die(job);
      clock.pass(2 * SECOND);
      await world.sweep(true);
    },
    /** What the schedules do within some minutes. */
    async compare(): Promise<void> {
      for (let round = 0; round < 2; round += 1) {
        clock.pass(2 * MINUTE);
        await world.sweep();
        await world.compare();
        await world.watch();
      }
    },
  };
}

/** A branch that nothing is pushed to. */
const OTHER = 'other';

const AWAY: readonly (readonly [words: string, milliseconds: number])[] = [
  ['2 s', 2 * SECOND],
  ['30 s', 30 * SECOND],
  ['10 min', 10 * MINUTE],
  ['50 min', 50 * MINUTE],
];

interface Failures {
  readonly clock: { now(): number };
  readonly repository: ModelRepository;
  readonly awayUntil: { readonly at: number };
  readonly unknownMs: number;
}

/** Has the host fail while it is away, and not know a commit that is younger than `unknownMs`. */
function failuresOf(host: MemoryHost, { clock, repository, awayUntil, unknownMs }: Failures): void {
  const away = new DeployError('deploy:repohost:no_pkg_json', 'It answered 503.', { retry: true, host: 'away' });
  const unknown = new DeployError('deploy:repohost:no_pkg_json', 'It answered 404.', { retry: false, host: 'unknown' });
  const isNew = (sha: unknown) => typeof sha === 'string' && repository.bornAt(sha) > clock.now() - unknownMs;
  const methods = ['file', 'tarball', 'compare', 'wholeCommit', 'tip', 'repository'] as const;
  for (const method of [...methods, 'pullRequestState', 'openPullRequests'] as const) {
    const ask = host[method] as (ref: Partial<CommitRef>, ...rest: unknown[]) => Promise<never>;
    Object.assign(host, {
      [method]: async (ref: Partial<CommitRef>, ...rest: unknown[]) => {
        if (clock.now() < awayUntil.at) throw away;
        const isOfCommit = !['tip', 'repository', 'pullRequestState', 'openPullRequests'].includes(method);
        if (isOfCommit && (isNew(ref.sha) || isNew(rest[0]))) throw unknown;
        return ask(ref, ...rest);
      },
    });
  }
}

/** Has the host answer as the repository is, at the time that its answers are of. */
function answersOf(host: MemoryHost, repository: ModelRepository, history: History): void {
  const shown = ({ ref: { sha } }: Commit) => (history.host === 'bitbucket' ? sha.slice(0, 12) : sha);
  host.tip = async (_, branch) => {
    const { tip } = branch === OTHER ? (repository.states[0] as HostState) : repository.told();
    const message = tip?.mark.startsWith('skip') ? `A change\n\n[${tip.mark}]` : 'A change';
    return tip && [BRANCH, OTHER].includes(branch) ? { sha: tip.ref.sha, message, author: 'Ann' } : null;
  };
  host.pullRequestState = async (_, number) => {
    const pull = repository.told().pulls.get(number);
    return { isOpen: pull?.isOpen ?? false, head: pull ? shown(pull.head) : null };
  };
  host.openPullRequests = async () => {
    const open = [...repository.told().pulls.values()].filter(({ isOpen }) => isOpen);
    const listed = open.map(({ number, head, draft, fromFork }) => ({
      ...{ number, draft, fromFork, sha: shown(head), branch: 'changes', title: 'Blue', author: 'octocat' },
      ...{ updatedAt: null, ...(head.ref.owner !== 'ann' && { source: `${head.ref.owner}/shop` }) },
    }));
    return { open: listed, tag: null, paceSeconds: 0 };
  };
}
