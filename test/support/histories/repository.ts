import type { CommitRef } from '../../../functions/core/payload/delivery.ts';
import { afterRename, anyCi, BRANCH, pullCall, pushCall, runCall } from './calls.ts';
import { type Call, type Commit, type HostState, isOn, type Pull, type RunSaid, type Said } from './facts.ts';
import type { Event, History, Mark, Step } from './history.ts';

/** What the repository needs of the world around it. */
interface Around {
  readonly now: () => number;
  readonly commit: (parent: Commit | null, mark: Mark, owner: string) => CommitRef;
}

/** A repository at a host, and its CI. Each method changes it, and returns the calls that are sent because of it. */
export class ModelRepository {
  readonly states: HostState[];
  readonly #history: History;
  readonly #around: Around;
  readonly #letters = new Map<string, Commit>();
  /** The commits that were ever the tip, and the heads of each pull request, oldest first. */
  readonly #known: Commit[];
  readonly #heads = new Map<number, Commit[]>();
  readonly #born = new Map<string, number>();
  readonly #runs = new Map<string, { attempt: number; isOver: boolean }>();
  #calls = 0;
  #renamed: Commit | null = null;
  #hasOtherName = false;

  constructor(history: History, around: Around, trunk: CommitRef) {
    this.#history = history;
    this.#around = around;
    const first: Commit = { ref: trunk, letter: '0', parent: null, mark: 'none' };
    this.#letters.set(trunk.sha, first);
    this.#known = [first];
    this.states = [{ at: around.now(), tip: first, pulls: new Map() }];
  }

  get now(): HostState {
    return this.states.at(-1) as HostState;
  }

  /** The name of the repository now. */
  get name(): string {
    return this.#hasOtherName ? 'store' : 'shop';
  }

  /** Since when there is a commit that starts with these digits. */
  bornAt(digits: string): number {
    for (const [sha, at] of this.#born) if (sha.startsWith(digits)) return at;
    return 0;
  }

  named(sha: string | null): Commit | null {
    return (sha !== null && this.#letters.get(sha)) || null;
  }

  /** The state as the host tells it at this moment. */
  told(): HostState {
    const until = this.#around.now() - this.#history.lagMs;
    return this.states.findLast(({ at }) => at <= until) ?? (this.states[0] as HostState);
  }

  /** Returns the calls of a step at the host; null when it is one of another place. */
  happen(step: Step): readonly Call[] | null {
    const calls = this.#events[step.event]?.(step) ?? null;
    if (!this.#hasOtherName || !calls) return calls;
    return calls.map((call) => ({ ...call, title: `${call.title} (store)`, hook: afterRename(call.hook) }));
  }

  readonly #events: Readonly<Partial<Record<Event, (step: Step) => readonly Call[]>>> = {
    push: ({ mark }) => (this.now.tip ? this.#moved(this.#commit(this.now.tip, mark), false) : []),
    amend: ({ mark }) => (this.now.tip?.parent ? this.#moved(this.#commit(this.now.tip.parent, mark), true) : []),
    back: () => (this.now.tip?.parent ? this.#moved(this.now.tip.parent, true) : []),
    jump: ({ pick }) => {
      const { tip } = this.now;
      const to = this.#known.filter((one) => one !== tip).at(-1 - (pick % 4));
      return tip && to ? this.#moved(to, !isOn(tip, to)) : [];
    },
    remove: () => (this.now.tip ? this.#moved(null, false) : []),
    create: ({ pick }) => (this.now.tip ? [] : this.#moved(this.#known.at(pick % this.#known.length) as Commit, false)),
    // The branch has another name for some time, of which the webhook hears a push of another branch.
    rename: () => {
      const { tip } = this.now;
      this.#change({ tip: tip ? null : this.#renamed });
      this.#renamed = tip;
      return tip ? [this.#push('trunk', null, tip, false)] : [];
    },
    // Calls that were made before have the former name, whenever they come.
    renameRepository: () => {
      this.#hasOtherName = true;
      return [];
    },
    open: ({ pick, mark }) => {
      const number = 7 + (pick % 2);
      const base = this.now.tip ?? this.#known.at(-1) ?? null;
      if (this.now.pulls.has(number) || !base) return [];
      const fromFork = pick % 3 === 2;
      const head = this.#commit(base, mark, this.#ownerOf(fromFork));
      const pull = { number, fromFork, draft: pick > 8, isOpen: true, merged: false, head };
      return [this.#pulled(pull, 'opened')];
    },
    sync: ({ pick, mark }) => this.#ofPull(pick, (pull) => this.#headed(pull, this.#commitOf(pull, pull.head, mark))),
    reset: ({ pick, mark }) =>
      this.#ofPull(pick, (pull) => this.#headed(pull, this.#commitOf(pull, pull.head.parent ?? pull.head, mark))),
    pullBack: ({ pick }) =>
      this.#ofPull(pick, (pull) => {
        const to = this.#heads.get(pull.number)?.filter((one) => one !== pull.head);
        return to?.length ? this.#headed(pull, to[pick % to.length] as Commit) : [];
      }),
    close: ({ pick }) =>
      this.#ofPull(pick, (pull) => {
        const merged = pick % 4 === 3 && this.now.tip !== null;
        const closed = this.#pulled({ ...pull, isOpen: false, merged }, 'closed', merged);
        const squashed = merged && this.now.tip ? this.#moved(this.#commit(this.now.tip, 'none'), false) : [];
        return [...squashed, closed];
      }),
    reopen: ({ pick }) => {
      const pull = [...this.now.pulls.values()].filter(({ isOpen, merged }) => !isOpen && !merged)[pick % 2];
      return pull && this.#history.host !== 'bitbucket' ? [this.#pulled({ ...pull, isOpen: true }, 'reopened')] : [];
    },
    ready: () => {
      const pull = [...this.now.pulls.values()].find(({ draft, isOpen }) => draft && isOpen);
      return pull ? [this.#pulled({ ...pull, draft: false }, 'ready_for_review')] : [];
    },
    run: (step) => {
      const heads = [...this.now.pulls.values()].map(({ head }) => head);
      const { tip } = this.now;
      const recent = this.#known.slice(-4).filter((one) => one !== tip);
      const commits = [...(tip ? [tip, tip] : []), ...recent.reverse(), ...heads];
      const commit = commits[step.pick % commits.length];
      return commit ? this.run(commit, step) : [];
    },
    queue: ({ outcome, pick, check }) => {
      const { host, ci } = this.#history;
      if (host !== 'github' || ci === 'auto' || !this.now.tip || outcome === 'pending') return [];
      const next = this.#commit(this.now.tip, 'none');
      const tested = this.run(next, { outcome, pick, check: check === 1 || check === 3 ? 0 : check }, true);
      return outcome === 'passed' ? [...tested, ...this.#moved(next, false)] : tested;
    },
  };

  /** A run of CI, or of the merge queue, for a commit. One whose message says so has none. */
  run(
    commit: Commit,
    { check, outcome, pick }: Pick<Step, 'check' | 'outcome' | 'pick'>,
    ofQueue = false,
  ): readonly Call[] {
    if (commit.mark === 'skip ci') return [];
    // GitLab, Forgejo and Bitbucket have no two checks of one name.
    const own = check === 2 && !['github', 'gitea'].includes(this.#history.host) ? 0 : check;
    const key = `${commit.letter} ${own}`;
    const last = this.#runs.get(key) ?? { attempt: 0, isOver: true };
    const attempt = last.isOver ? last.attempt + 1 : last.attempt;
    this.#runs.set(key, { attempt, isOver: outcome !== 'pending' });
    const run = [...this.#letters.values()].indexOf(commit);
    const branch = [...this.#heads].find(([, heads]) => heads.includes(commit)) ? 'changes' : BRANCH;
    const told = { ...this.#told(commit), branch, outcome, check: own, attempt, run, ofQueue };
    const isOrdered = own !== 3 || pick % 2 === 0;
    const hook = isOrdered ? runCall(this.#history.host, told) : anyCi(told);
    const title = `run of ${commit.letter}${ofQueue ? ' in the queue' : ''}: check ${own} ${outcome} (${isOrdered ? attempt : 'no number'})`;
    const said: RunSaid = {
      kind: 'run',
      commit,
      check: own,
      outcome,
      attempt,
      isOrdered,
      isUnknown: this.#hasOtherName && (own === 1 || own === 3),
      ofBranch: branch === BRANCH && !ofQueue,
    };
    return hook ? [{ id: told.id, said, hook, title }] : [];
  }

  #commit(parent: Commit | null, mark: Mark, owner = 'ann'): Commit {
    const count = this.#letters.size - 1;
    const letter = `${String.fromCharCode(97 + (count % 26))}${count >= 26 ? Math.floor(count / 26) : ''}`;
    const commit = { ref: this.#around.commit(parent, mark, owner), letter, parent, mark };
    this.#letters.set(commit.ref.sha, commit);
    this.#born.set(commit.ref.sha, this.#around.now());
    return commit;
  }

  #commitOf({ fromFork }: Pull, parent: Commit, mark: Mark): Commit {
    return this.#commit(parent, mark, this.#ownerOf(fromFork));
  }

  /** The commits of a fork are in the fork only, at Bitbucket. */
  #ownerOf(fromFork: boolean): string {
    return fromFork && this.#history.host === 'bitbucket' ? 'mallory' : 'ann';
  }

  #change(to: Partial<HostState>): void {
    this.states.push({ ...this.now, ...to, at: this.#around.now() });
  }

  #moved(to: Commit | null, forced: boolean): readonly Call[] {
    const { tip } = this.now;
    this.#change({ tip: to });
    if (to && !this.#known.includes(to)) this.#known.push(to);
    return [this.#push(BRANCH, tip, to, forced)];
  }

  #push(branch: string, before: Commit | null, commit: Commit | null, forced: boolean): Call {
    const isBare = commit !== null && before !== null && isOn(commit, before);
    const about = { before: before?.ref ?? null, commit: commit?.ref ?? null };
    const told = { ...this.#told(commit), ...about, branch, forced, isBare };
    // At Gitea and Forgejo the end of a branch is no push.
    const isPush = branch === BRANCH && (commit || !['gitea', 'forgejo'].includes(this.#history.host));
    const said: Said = isPush ? { kind: 'push', commit, before } : { kind: 'other', commit: null };
    const mark = commit && commit.mark !== 'none' ? ` [${commit.mark}]` : '';
    const title = `push of ${branch} ${before?.letter ?? 'nothing'} -> ${commit?.letter ?? 'nothing'}${mark}${forced ? ' (forced)' : ''}`;
    return { id: told.id, said, hook: pushCall(this.#history.host, told), title };
  }

  #ofPull(pick: number, change: (pull: Pull) => readonly Call[]): readonly Call[] {
    const open = [...this.now.pulls.values()].filter(({ isOpen }) => isOpen);
    const pull = open[pick % open.length];
    return pull ? change(pull) : [];
  }

  #headed(pull: Pull, head: Commit): readonly Call[] {
    return [this.#pulled({ ...pull, head }, 'moves', false, pull.head)];
  }

  #pulled(pull: Pull, action: string, merged = false, before?: Commit): Call {
    const { number, head, fromFork, draft } = pull;
    this.#change({ pulls: new Map([...this.now.pulls, [number, pull]]) });
    const heads = this.#heads.get(number) ?? [];
    if (!heads.includes(head)) this.#heads.set(number, [...heads, head]);
    const { id: delivery } = this.#told(head);
    const told = { action: merged && this.#history.host === 'bitbucket' ? 'merged' : action, delivery };
    const said = { number, commit: head.ref, fromFork, draft, ...(before && { before: before.ref }) };
    const title = `pull request ${number} ${action} at ${head.letter}${fromFork ? ' of a fork' : ''}${draft ? ' (draft)' : ''}`;
    const hook = pullCall(this.#history.host, { ...told, ...said });
    return { id: delivery, said: { kind: 'pull', pull, commit: head, before: before ?? null }, hook, title };
  }

  #told(commit: Commit | null) {
    this.#calls += 1;
    const words = commit?.mark.startsWith('skip') ? `[${commit.mark}]` : 'Nothing else.';
    const ref = commit?.ref ?? { host: '', owner: '', name: '', sha: '0'.repeat(40) };
    return { id: `call-${this.#calls}`, commit: ref, words, at: this.#around.now(), branch: BRANCH };
  }
}
