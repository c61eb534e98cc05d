import { type Commit, type HostState, isOn, type Pull, type RunSaid, type Said } from './facts.ts';
import type { History } from './history.ts';

/** A call that has come. */
export interface Heard {
  readonly at: number;
  readonly said: Said;
}

/** What has happened so far, as the host, CI and the people know it, and not as the service says. */
export interface Story extends Pick<History, 'ci' | 'previews'> {
  readonly states: readonly HostState[];
  readonly heard: readonly Heard[];
  /** Commits that a person let go, and whether what was let go has not ended yet; and those that one has cancelled. */
  readonly released: ReadonlyMap<Commit, boolean>;
  readonly cancelled: ReadonlySet<Commit>;
  /** When the service looked last at a commit to decide about it. */
  readonly checked: ReadonlyMap<Commit, number>;
}

/** Surely, surely not, or nobody has promised it. */
type Wanted = 'yes' | 'no' | 'perhaps';

/** An answer of a host may be that much older than its call. */
const KNOWN_AFTER_MS = 10_000;

/** What the results that have come by a time say of a commit: of each check that of its last attempt. */
function verdictOf({ heard }: Story, commit: Commit, until: number): RunSaid['outcome'] | 'nothing' | 'unclear' {
  const last = new Map<number, RunSaid>();
  for (const { at, said } of heard) {
    if (said.kind !== 'run' || said.commit !== commit || at > until) continue;
    const known = last.get(said.check);
    const isOrdered = said.isOrdered && known?.isOrdered;
    const isLater = !known || (isOrdered && said.attempt > known.attempt);
    const isSame = !isOrdered || said.attempt === known.attempt;
    if (isLater || (isSame && said.outcome !== 'pending')) last.set(said.check, said);
  }
  const results = [...last.values()];
  if (results.some(({ outcome }) => outcome === 'failed')) return 'failed';
  // A check that runs again, after it has ended.
  if (results.some(({ outcome, attempt }) => outcome === 'pending' && attempt > 1)) return 'unclear';
  if (results.some(({ outcome }) => outcome === 'pending')) return 'pending';
  return results.length > 0 ? 'passed' : 'nothing';
}

/** Whether a commit of the branch that is looked at at that time waits for CI. */
function waits({ ci, heard }: Story, { mark }: Commit, at: number): boolean {
  if (ci === 'ignore' || mark === 'skip ci') return false;
  return ci === 'wait' || heard.some((one) => one.said.kind === 'run' && one.said.ofBranch && one.at <= at);
}

/** Until a push comes by the new name of a repository, CI that sends no id is that of another one. */
function withoutUnknown(story: Story): Story {
  return { ...story, heard: story.heard.filter(({ said }) => said.kind !== 'run' || !said.isUnknown) };
}

/** Whether a commit is to be deployed while it is on the branch. */
function wanted(story: Story, commit: Commit, now: number, lookedAt = now): Wanted {
  if (commit.mark === 'unreadable' || commit.mark === 'skip deploy') return 'no';
  if (story.cancelled.has(commit)) return 'perhaps';
  const verdict = verdictOf(story, commit, now);
  if (verdict === 'passed') return 'yes';
  // What is pushed again waits again.
  if (story.released.has(commit)) return story.released.get(commit) ? 'yes' : 'perhaps';
  if (!waits(withoutUnknown(story), commit, lookedAt)) {
    const isUnsure = verdict !== 'nothing' || waits(story, commit, lookedAt);
    return story.ci === 'auto' && isUnsure ? 'perhaps' : 'yes';
  }
  return verdict === 'unclear' ? 'perhaps' : 'no';
}

/** Whether the head commit of an open pull request is to be previewed. */
function wantedPreview(story: Story, { head, draft, fromFork }: Pull, now: number): Wanted {
  if (head.mark === 'unreadable' || draft) return 'no';
  // What is opened again waits again.
  if (story.released.has(head)) return story.released.get(head) && !story.cancelled.has(head) ? 'yes' : 'perhaps';
  if (fromFork) return 'no';
  if (story.cancelled.has(head)) return 'perhaps';
  const verdict = verdictOf(story, head, now);
  if (story.previews === 'true') return 'yes';
  if (verdict !== verdictOf(withoutUnknown(story), head, now)) return 'perhaps';
  if (verdict === 'passed') return 'yes';
  return verdict === 'unclear' ? 'perhaps' : 'no';
}

/** A start that no person asked for. */
export interface Start {
  readonly commit: Commit;
  /** What the application ran until then. */
  readonly before: Commit | null;
  readonly pull: number | null;
  /** When the service decided about it. */
  readonly checkedAt: number;
}

/** Returns what is wrong with a start; null when nothing is. */
export function wrongStart(story: Story, { commit, before, pull, checkedAt }: Start): string | null {
  const states = statesFrom(story, checkedAt - KNOWN_AFTER_MS);
  if (pull !== null) {
    const heads = states.map(({ pulls }) => pulls.get(pull)).filter((one) => one?.isOpen && one.head === commit);
    if (heads.length === 0 && !isTold(story, commit, pull, checkedAt)) return 'not the head of the open pull request';
    const isUnwanted = heads.every((one) => one && wantedPreview(story, one, checkedAt) === 'no');
    return heads.length > 0 && isUnwanted ? 'a preview that is not wanted' : null;
  }
  // What is live may be newer than all pushes that have come.
  const isNewest = isTold(story, commit, null, checkedAt) && (!before || isPushed(story, before, checkedAt));
  if (!isNewest && !states.some(({ tip }) => isOn(commit, tip))) return 'not on the branch';
  const wasTip = isNewest || states.some(({ tip }) => tip === commit);
  const isBack = before !== null && before !== commit && isOn(commit, before);
  if (isBack && !wasTip && states.every(({ tip }) => isOn(before, tip))) return 'older than what was live';
  // The words are in the push, and not in every call about a build.
  const isSaid = isPushed(story, commit, checkedAt);
  if (commit.mark === 'skip deploy') return isSaid ? 'a commit that says [skip deploy]' : null;
  return wanted(story, commit, checkedAt) === 'no' ? 'a commit that CI has not passed' : null;
}

function isPushed({ heard }: Story, commit: Commit, until: number): boolean {
  return !commit.parent || heard.some(({ at, said }) => said.kind === 'push' && said.commit === commit && at <= until);
}

/**
 * Whether the calls about the branch, or a pull request, say that it is at the commit, and none is missing: each has left
 * it where another one has found it. The host is not asked then.
 */
export function isTold({ heard }: Story, commit: Commit, pull: number | null, until: number): boolean {
  const open = new Map<Commit | null, number>();
  let last: Commit | null = null;
  for (const { at, said } of heard) {
    const isOne = pull === null ? said.kind === 'push' : said.kind === 'pull' && said.pull.number === pull;
    if (at > until || !isOne || said.kind === 'run' || said.kind === 'other') continue;
    if (said.kind === 'pull' && !said.pull.isOpen) return false;
    open.set(said.commit, (open.get(said.commit) ?? 0) + 1);
    open.set(said.before, (open.get(said.before) ?? 0) - 1);
    last = said.commit;
  }
  return last === commit && [...open].every(([one, count]) => count <= (one === commit ? 1 : 0));
}

/**
 * Returns the commit that should be live in place of another one, when all that these calls have asked for is done; null
 * when it is right. The tip is deployed whatever is live. Another commit of the branch is when it is not behind that, or
 * that is not on the branch any more; the host, whose answers are `lagMs` old, is asked about that.
 */
export function missing(
  story: Story,
  live: Commit | null,
  { calls, now, lagMs }: { readonly calls: readonly Heard[]; readonly now: number; readonly lagMs: number },
): Commit | null {
  for (const { at, said } of calls) {
    const { commit } = said;
    if (!commit || !asks(story, said, now) || wanted(story, commit, now, story.checked.get(commit)) !== 'yes') continue;
    const states = statesFrom(story, at);
    const wasTip = states.every(({ tip }) => tip === commit);
    const known = statesFrom(story, at - lagMs);
    const isOlder = live !== null && isOn(commit, live) && known.some(({ tip }) => isOn(live, tip));
    const isNewer = states.every(({ tip }) => isOn(commit, tip)) && !isOlder;
    if (commit !== live && (wasTip || isNewer)) return commit;
  }
  return null;
}

/** Whether a call asks for its commit to be deployed on the branch. A build is only as good as the others of its commit. */
export function asks(story: Story, said: Said, now: number): boolean {
  if (said.kind !== 'run') return said.kind === 'push';
  return said.ofBranch && said.outcome === 'passed' && verdictOf(story, said.commit, now) === 'passed';
}

/** Returns what is wrong with what a pull request has live; null when nothing is. `isEnd`: the host was asked since. */
export function wrongPreview(
  story: Story,
  pull: Pull,
  live: Commit | null,
  isEnd: boolean,
  now: number,
): string | null {
  const { number, head, isOpen } = pull;
  const own = story.heard.filter(({ said }) => said.kind === 'pull' && said.pull.number === number);
  const isSince = (at: number) =>
    statesFrom(story, at).every(({ pulls }) => {
      const then = pulls.get(number);
      return then?.isOpen === isOpen && (!isOpen || then.head === head);
    });
  const calls = own.filter(({ at }) => isSince(at));
  const last = calls.findLast(({ said }) => said.kind === 'pull' && said.pull.isOpen === isOpen);
  if (!isOpen) return live && (last || isEnd) ? `${live.letter} although it is closed` : null;
  if (wantedPreview(story, pull, now) !== 'yes') return null;
  const isHeard = calls.some(
    ({ said }) => said.kind === 'pull' && said.commit === head && said.pull.isOpen && !said.pull.draft,
  );
  const isRemoved = own.some(({ at, said }) => said.kind === 'pull' && !said.pull.isOpen && isSince(at));
  const mustBe = isEnd ? isHeard || live !== null : isHeard && !isRemoved;
  return mustBe && live !== head ? `${live?.letter ?? 'nothing'} instead of ${head.letter}` : null;
}

/** The states of the host from a moment on. */
function statesFrom({ states }: Story, from: number): readonly HostState[] {
  return states.filter((_, index) => (states[index + 1]?.at ?? Number.POSITIVE_INFINITY) > from);
}
