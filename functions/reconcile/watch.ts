import { backOff, forEachLimit } from '../core/concurrency.ts';
import { DeployError } from '../core/errors.ts';
import type { RepositoryRef } from '../core/payload/delivery.ts';
import type { TrackedApp, TrackedApps } from '../core/ports/facts.ts';
import type { Host, OpenPullRequest, PullRequests } from '../core/ports/repository-host.ts';
import type { Clock, Ids } from '../core/ports/system.ts';
import { comparePull } from '../core/preview/compare-pull.ts';
import { DAY_MS } from '../core/preview/preview.ts';
import { type ComparePorts, comparePreview } from '../core/reconcile/compare.ts';

interface WatchPorts extends Omit<ComparePorts, 'host'> {
  readonly apps: Pick<TrackedApps, 'allPreviews'>;
  readonly host: (name: string) => Pick<Host, 'tip' | 'compare' | keyof PullRequests>;
  readonly clock: Clock;
  readonly ids: Ids;
  /** Minutes between two comparisons of an application; 0: nothing is asked of hosts. */
  readonly minutes: number;
  /** Seconds between two requests for the pull requests of a repository; `WATCH_SECONDS` by default. */
  readonly watchSeconds?: number | undefined;
}

/** Less than a minute, so that a run every minute finds each repository due. */
export const WATCH_SECONDS = 45;
const MAX_PREVIEWS = 1000;
const MAX_AT_A_TIME = 8;
/** A run begins no request after that time, so that it has ended when the next one begins. */
const RUN_MS = 30_000;
/** Between two requests while they fail, or while previews are of pull requests that a list of the newest does not have. */
const MOST_SECONDS = 15 * 60;
/** A list of fewer has all of them. */
const FULL = 30;
const UNLISTED_SECONDS = 5 * 60;
/** The longest pause that a host may ask for. */
const LONGEST_PAUSE_SECONDS = 3600;

interface Repository {
  readonly user: string;
  readonly ref: RepositoryRef;
  readonly previews: readonly TrackedApp[];
}

/** Kept in memory of a repository with previews, between two runs. */
interface Seen {
  readonly tag: string | null;
  readonly open: readonly OpenPullRequest[];
  /** The pull requests that need no look while they are the same. */
  readonly settled: ReadonlySet<string>;
  readonly failures: number;
  /** Milliseconds since 1970. */
  readonly dueAt: number;
}

const UNSEEN: Seen = { tag: null, open: [], settled: new Set(), failures: 0, dueAt: 0 };

/**
 * Returns the watch on pull requests. Each run asks the hosts of previews, one request for each repository that is due,
 * which pull requests are open: a preview whose pull request is closed is removed, and a head commit that no webhook has
 * brought is deployed. What it remembers is lost with the process, which then asks once more. A run returns when the
 * next repository is due, in milliseconds since 1970; null without previews.
 */
export function previewWatch(ports: WatchPorts): () => Promise<number | null> {
  let seen: ReadonlyMap<string, Seen> = new Map();
  return async () => {
    if (ports.minutes === 0) return null;
    const startedAt = ports.clock.now();
    const repositories = repositoriesOf(await ports.apps.allPreviews(MAX_PREVIEWS));
    // Only of repositories that have previews, so that it does not grow.
    const next = new Map([...repositories.keys()].map((key) => [key, seen.get(key) ?? UNSEEN] as const));
    const pauses = new Map<string, number>();
    const limits = [...repositories.values()].map(limitOf);
    await forEachLimit(repositories, MAX_AT_A_TIME, async ([key, repository]) => {
      const before = next.get(key) ?? UNSEEN;
      const at = ports.clock.now();
      if (before.dueAt > at || at > startedAt + RUN_MS) return;
      const pausedUntil = pauses.get(limitOf(repository)) ?? 0;
      if (pausedUntil > at) return void next.set(key, { ...before, dueAt: pausedUntil });
      try {
        const sharers = limits.filter((limit) => limit === limitOf(repository)).length;
        next.set(key, await look(repository, before, sharers, ports));
      } catch (error) {
        ports.trace('pull requests not compared', { ...named(repository), error });
        const after = failed(before, error, at, ports.watchSeconds);
        if (error instanceof DeployError && error.retryAfter) pauses.set(limitOf(repository), after.dueAt);
        next.set(key, after);
      }
    });
    seen = next;
    return next.size === 0 ? null : Math.min(...[...next.values()].map(({ dueAt }) => dueAt));
  };
}

/** Reads the list of a repository, and compares with it. `sharers`: the repositories that share its rate limit. */
async function look(repository: Repository, before: Seen, sharers: number, ports: WatchPorts): Promise<Seen> {
  const { user, ref, previews } = repository;
  const token = await ports.token(user, ref.host);
  const list = await ports.host(ref.host).openPullRequests(ref, token, before.tag);
  const open = list.open ?? before.open;
  const at = ports.clock.now();
  const finder = { uuid: ports.ids.uuid(), base: null, at };
  const numbers = new Set(open.map(({ number }) => number));
  let unlisted = false;
  for (const preview of previews) {
    const pullRequest = preview.owner.pullRequest;
    if (!pullRequest || numbers.has(pullRequest.number)) continue;
    // The list may be older than the preview, or have no room for it: only what the host says of this one counts.
    const { entry, reason, isOpen } = await comparePreview(preview, pullRequest, finder, ports);
    if (entry) ports.trace('preview removed', { user, app: preview.app, number: entry.number, reason });
    unlisted ||= isOpen && open.length >= FULL;
  }
  const settled = await compareOpen(repository, { open, before, at }, ports);
  const seconds = Math.max(
    ports.watchSeconds ?? WATCH_SECONDS,
    list.paceSeconds * sharers,
    unlisted ? UNLISTED_SECONDS : 0,
  );
  return { tag: list.tag, open, settled, failures: 0, dueAt: at + seconds * 1000 };
}

interface Listed {
  readonly open: readonly OpenPullRequest[];
  readonly before: Seen;
  readonly at: number;
}

/** Compares the open pull requests, for each folder that has previews. Returns those that need no further look. */
async function compareOpen(
  { user, previews }: Repository,
  { open, before, at }: Listed,
  ports: WatchPorts,
): Promise<ReadonlySet<string>> {
  const settled = new Set<string>();
  const folders = new Set(previews.map(({ owner }) => owner.path));
  for (const pull of open) {
    const { number, sha, draft, updatedAt } = pull;
    if (sha === null || draft || at - (updatedAt ?? at) > ports.previewDays * DAY_MS) continue;
    for (const path of folders) {
      const ofFolder = previews.filter(({ owner }) => owner.path === path);
      const ofPull = ofFolder.find(({ owner }) => owner.pullRequest?.number === number);
      const preview = ofPull ?? ofFolder[0];
      const key = JSON.stringify([number, sha, path, ofPull !== undefined]);
      if (!preview || before.settled.has(key)) {
        settled.add(key);
        continue;
      }
      const finder = { uuid: ports.ids.uuid(), base: null, at };
      const { entry, unsettled } = await comparePull({ ...pull, sha }, preview, finder, ports);
      if (entry) ports.trace('missed commit found', { user, number: entry.number, pullRequest: number, tip: sha });
      if (!unsettled) settled.add(key);
    }
  }
  return settled;
}

function failed(before: Seen, error: unknown, at: number, first = WATCH_SECONDS): Seen {
  const pause = error instanceof DeployError ? (error.retryAfter ?? 0) : 0;
  const wait = backOff(before.failures, { first, most: MOST_SECONDS });
  const seconds = Math.max(wait, Math.min(pause, LONGEST_PAUSE_SECONDS));
  return { ...before, failures: before.failures + 1, dueAt: at + seconds * 1000 };
}

function repositoriesOf(previews: readonly TrackedApp[]): ReadonlyMap<string, Repository> {
  const repositories = new Map<string, Repository & { readonly previews: TrackedApp[] }>();
  for (const preview of previews) {
    const { user, owner } = preview;
    const { host, owner: repositoryOwner, name } = owner;
    const key = `${user} ${`${host}/${repositoryOwner}/${name}`.toLowerCase()}`;
    const repository = repositories.get(key);
    if (repository) repository.previews.push(preview);
    else repositories.set(key, { user, ref: { host, owner: repositoryOwner, name }, previews: [preview] });
  }
  return repositories;
}

/** Hosts count requests by token, and a token belongs to a user. */
function limitOf({ user, ref }: Repository): string {
  return `${user} ${ref.host}`;
}

function named({ user, ref }: Repository) {
  return { user, repository: `${ref.owner}/${ref.name}` };
}
