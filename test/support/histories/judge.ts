import type { Entry } from '../../../functions/core/entry/entry.ts';
import { MANUAL } from '../../../functions/core/entry/providers.ts';
import { BRANCH } from './calls.ts';
import type { Commit, HostState, Pull, Said } from './facts.ts';
import type { History } from './history.ts';
import { asks, type Heard, isTold, missing, type Story, wrongPreview, wrongStart } from './oracle.ts';
import type { ModelRepository } from './repository.ts';

/** A start of a snapshot on the platform. */
export interface Started {
  /** The entry that starts it. */
  readonly entry: Entry;
  readonly app: string;
  /** The deploys that have made it, and what the application ran until then. */
  readonly of: number;
  readonly before: number | null;
}

/** Keeps the story, and asks the oracle. */
export class Judge {
  readonly #story: Story & {
    readonly heard: Heard[];
    readonly released: Map<Commit, boolean>;
    readonly cancelled: Set<Commit>;
    readonly checked: Map<Commit, number>;
  };
  readonly #lagMs: number;
  readonly #hasEnvironment: boolean;
  readonly #repository: ModelRepository;
  readonly #now: () => number;
  readonly #serving: (app: string) => number | null;
  readonly #fail: (what: string) => void;
  readonly #checkedAt = new Map<number, number>();
  readonly #commits = new Map<number, Commit | null>();
  /** The calls since all work was done. */
  #recent: Heard[] = [];
  /** The last time at which a person has chosen what is live; and that, for as long as nothing else happens. */
  #chosenAt = 0;
  #chosen: Commit | null = null;
  /** A person has chosen or cancelled something since all work was done. */
  #isActed = false;
  /** Since when the application follows another branch; and whether it ever has, after which previews may be refused. */
  #followsOtherAt = Number.POSITIVE_INFINITY;
  #hasFollowedOther = false;
  /** When the service first looked at a commit: a comparison may find it before any call. */
  readonly #foundAt = new Map<Commit, number>();

  constructor(
    { ci, previews, lagMs, hasEnvironment }: History,
    repository: ModelRepository,
    around: { now: () => number; serving: (app: string) => number | null; fail: (what: string) => void },
  ) {
    this.#story = {
      ...{ ci, previews, states: repository.states, heard: [] },
      ...{ released: new Map(), cancelled: new Set(), checked: new Map() },
    };
    this.#lagMs = lagMs;
    this.#hasEnvironment = hasEnvironment;
    this.#repository = repository;
    [this.#now, this.#serving, this.#fail] = [around.now, around.serving, around.fail];
  }

  heard(said: Said): void {
    const heard = { at: this.#now(), said };
    const isAgain = said.kind === 'push' || (said.kind === 'pull' && said.pull.isOpen);
    if (isAgain && said.commit && this.#story.released.has(said.commit)) {
      this.#story.released.set(said.commit, false);
    }
    this.#story.heard.push(heard);
    this.#recent.push(heard);
  }

  /** Something has happened after which something else may be live. */
  changed(): void {
    this.#chosen = null;
  }

  released(commit: Commit): void {
    this.changed();
    this.#story.released.set(commit, true);
    this.#recent.push({ at: this.#now(), said: { kind: 'push', commit, before: null } });
  }

  cancelled(commit: Commit): void {
    this.#story.cancelled.add(commit);
    this.#isActed = true;
  }

  chosen(): void {
    this.changed();
    this.#chosenAt = this.#now();
    this.#isActed = true;
  }

  /** A person has chosen the branch that the application follows. */
  follows(branch: string): void {
    this.chosen();
    this.#followsOtherAt = branch === BRANCH ? Number.POSITIVE_INFINITY : this.#now();
    this.#hasFollowedOther = true;
  }

  checked({ number, sha, provider, environment }: Entry): void {
    this.#checkedAt.set(number, this.#now());
    if (environment !== undefined) return;
    const commit = this.#repository.named(sha);
    if (commit && !this.#foundAt.has(commit)) this.#foundAt.set(commit, this.#now());
    if (commit && provider !== MANUAL) this.#story.checked.set(commit, this.#now());
  }

  started({ entry, app, of, before }: Started): void {
    const { number, provider, sha, pullRequest, branch } = entry;
    const commit = this.#repository.named(sha);
    this.#commits.set(of, commit);
    if (!commit || provider === MANUAL || (branch !== BRANCH && !pullRequest)) return;
    const [checkedAt, pull] = [this.#checkedAt.get(number) ?? this.#now(), pullRequest?.number ?? null];
    if (app === 'shop' && checkedAt > this.#followsOtherAt) this.#fail('a branch is deployed that is not followed');
    const wrong = wrongStart(this.#story, { commit, pull, checkedAt, before: this.#commitOf(before) });
    if (wrong) this.#fail(`${app} has started ${commit.letter}: ${wrong}`);
  }

  /** All work is done: what is live is what the calls since the last time have asked for. */
  quiet(): void {
    const live = this.#live('shop');
    if (!this.#isActed && !this.#followsOther && this.#isPrompt(null)) this.#expect(this.#recent);
    this.#expectPreviews(false);
    if (this.#chosen && live !== this.#chosen) this.#fail(`a person's choice was undone`);
    const { tip } = this.#repository.now;
    const isKnown = this.#story.heard.some(({ said }) => said.kind === 'push' && said.commit === tip);
    if (this.#isActed && isKnown && this.#recent.length === 0) this.#chosen = live;
    this.#isActed = false;
    this.#recent = [];
    for (const commit of this.#story.released.keys()) this.#story.released.set(commit, false);
  }

  /** All calls have come, and the comparisons have run. */
  end({ tip }: HostState): void {
    const asked: readonly Heard[] = [{ at: this.#now(), said: { kind: 'push', commit: tip, before: null } }];
    if (!this.#followsOther) this.#expect(asked);
    this.#expectPreviews(true);
    this.#expectEnvironment(asked);
  }

  /** What a person has done was done to the application, and when CI is known is known of that. */
  #expectEnvironment(asked: readonly Heard[]): void {
    const { ci, released, cancelled } = this.#story;
    if (!this.#hasEnvironment || ci === 'auto' || released.size > 0 || cancelled.size > 0) return;
    const live = this.#live('shop-staging');
    const right = missing(this.#story, live, { calls: asked, now: this.#now(), lagMs: this.#lagMs });
    if (right) this.#fail(`shop-staging runs ${live?.letter ?? 'nothing'} instead of ${right.letter}`);
  }

  get #followsOther(): boolean {
    return Number.isFinite(this.#followsOtherAt);
  }

  /** Whether a pull request is closed, and a call has said so. */
  isClosed(number: number): boolean {
    const last = this.#story.heard.findLast(({ said }) => said.kind === 'pull' && said.pull.number === number);
    return last?.said.kind === 'pull' && !last.said.pull.isOpen && !this.#repository.now.pulls.get(number)?.isOpen;
  }

  /**
   * Whether it is right without the comparison: the calls say it by themselves, or the host's answers are not older than
   * a call that came late.
   */
  #isPrompt(pull: Pull | null): boolean {
    const told = pull ? pull.head : this.#repository.now.tip;
    return this.#lagMs === 0 || (told !== null && isTold(this.#story, told, pull?.number ?? null, this.#now()));
  }

  /** What a person has chosen stands against all that was told of before, and gives way to a new tip only. */
  #expect(calls: readonly Heard[]): void {
    const isNew = (commit: Commit | null) => {
      if (this.#chosenAt === 0) return true;
      const first = this.#story.heard.find(
        ({ said }) => said.commit === commit && asks(this.#story, said, this.#now()),
      );
      const foundAt = (commit && this.#foundAt.get(commit)) ?? Number.POSITIVE_INFINITY;
      const knownAt = Math.min(first?.at ?? 0, foundAt);
      return commit === this.#repository.now.tip && knownAt > this.#chosenAt;
    };
    const live = this.#live('shop');
    const asked = calls.filter(({ said }) => isNew(said.commit));
    const right = missing(this.#story, live, { calls: asked, now: this.#now(), lagMs: this.#lagMs });
    if (right) this.#fail(`shop runs ${live?.letter ?? 'nothing'} instead of ${right.letter}`);
  }

  #expectPreviews(isEnd: boolean): void {
    if (this.#hasFollowedOther) return;
    for (const pull of this.#repository.now.pulls.values()) {
      if (!isEnd && !this.#isPrompt(pull)) continue;
      const live = this.#live(`shop-pr-${pull.number}`);
      const wrong = wrongPreview(this.#story, pull, live, isEnd, this.#now());
      if (wrong) this.#fail(`pull request ${pull.number} runs ${wrong}`);
    }
  }

  #live(app: string): Commit | null {
    return this.#commitOf(this.#serving(app));
  }

  #commitOf(number: number | null): Commit | null {
    return number === null ? null : (this.#commits.get(number) ?? null);
  }
}
