import { describe, expect, it } from 'vitest';
import { type Entry, isFinal } from '../../functions/core/entry/entry.ts';
import { RECONCILED } from '../../functions/core/entry/providers.ts';
import { deployOfSnapshot } from '../../functions/core/entry/snapshot.ts';
import type { CommitRef } from '../../functions/core/payload/delivery.ts';
import type { HookCall } from '../../functions/core/ports/sender.ts';
import { MINUTE } from '../support/entries.ts';
import {
  afterRename,
  anyCi,
  BRANCH,
  HOSTS,
  type HostKind,
  idAt,
  pullCall,
  pushCall,
  type RunTold,
  renameAt,
  runCall,
} from '../support/histories/calls.ts';
import type { LogRoles } from '../support/worlds/pipeline-world.ts';
import { previewWorld } from './previews.ts';

/**
 * What happens, in order: calls, of which those before a `+` come before the work of them is done. `a` is live at first;
 * `b` and `c` are two children of it, `d` is a child of `c`, `e` and `g` are two of `b`, `f` is one of `e`; `0` is no commit. The branch moves with
 * the call of a push, unless `now` says where it is before all of them, because they come late.
 */
interface Row {
  readonly steps: string;
  /** The commit that is live after all of it, and after the comparisons. */
  readonly live: string;
  /** Of a branch; `?ci=` is each of these. */
  readonly ci?: readonly string[];
  /** The hosts whose calls can be so; all by default. */
  readonly hosts?: readonly HostKind[];
  /** The reason of the last entry that is not deployed. */
  readonly because?: RegExp;
}

const ANY = ['wait', 'ignore', ''];
const WAIT = ['wait'];
/** For rows in which the hosts differ in nothing. */
const ONE: readonly HostKind[] = ['github'];
const REMOVED = /^master does not have the commit \w{10} any more: its tip is \w{10}\.$/;

const OLDER = /^The commit \w{10} is older than what master deploys: \w{10}, by #\d+\.$/;

/** A forced push has taken the commit away. */
const removed: readonly Row[] = [
  { steps: 'push a→b + push b→c forced; run b passed', ci: ['ignore', ''], live: 'c', because: REMOVED },
  { steps: 'push a→b building; push b→c forced; run b passed', ci: ['ignore', ''], live: 'c', because: REMOVED },
  { steps: 'push a→b + push b→c forced; run c passed; run b passed', ci: ANY, live: 'c', because: REMOVED },
  { steps: 'push a→b + push b→a forced; run b passed', ci: ANY, live: 'a', because: REMOVED },
  { steps: 'push a→b; run b failed; push b→c forced; run c passed; run b passed', ci: WAIT, live: 'c' },
  { steps: 'push a→b; run b failed; push b→a forced; run b passed', ci: WAIT, live: 'a' },
  { steps: 'push a→b; push b→c forced; run b passed', ci: WAIT, live: 'a' },
  { steps: 'push a→b; push b→c forced; run b passed; run c failed', ci: WAIT, live: 'a' },
  { steps: 'push a→b; 70 minutes; push b→c forced; run c passed; run b passed', ci: WAIT, live: 'c' },
  { steps: 'push a→b; push b→c forced; status b passed; run c passed', ci: WAIT, live: 'c' },
  // Gitea and Forgejo do not tell a webhook for pushes that a branch was deleted.
  { steps: 'push a→b; push b→0; run b passed', ci: WAIT, live: 'a', hosts: ['github', 'gitlab', 'bitbucket'] },
];

/** The branch was moved back, or made again. */
const movedBack: readonly Row[] = [
  { steps: 'run a failed; push a→b; run b passed; push b→a forced; run a passed', ci: WAIT, live: 'a' },
  { steps: 'push a→b; run b passed; push b→a forced; 70 minutes; run a passed', ci: WAIT, live: 'a' },
  { steps: 'push a→b; run b passed; push b→e; run e failed; push e→a forced; run a passed', ci: WAIT, live: 'a' },
  { steps: 'push a→b; run b passed; push b→e skip; push e→a forced; run a passed', ci: WAIT, live: 'a' },
  { steps: 'push a→b; push b→e skip; push e→a forced', ci: ['ignore', ''], live: 'a' },
  { steps: 'push a→b; push b→0; push 0→a', ci: ['ignore', ''], live: 'a' },
  { steps: 'push a→b; push b→0; push 0→b', ci: ['ignore', ''], live: 'b' },
  { steps: 'push a→b; push b→0; push 0→c', ci: ['ignore', ''], live: 'c' },
  // What is live was taken off the branch: it keeps no older commit of the branch back.
  { steps: 'push a→b; run b passed; push b→a forced; push a→c; run a passed', ci: WAIT, live: 'a' },
  { steps: 'push a→b; run b passed; push b→a forced; push a→c skip; run a passed', ci: WAIT, live: 'a' },
  { steps: 'push a→b; push b→e; run e passed; push e→b forced; push b→g; run b passed', ci: WAIT, live: 'b' },
  { steps: 'push a→b; push b→e; status e passed; push e→b forced; push b→g; status b passed', ci: WAIT, live: 'b' },
  {
    steps: 'push a→b; push b→e; run e passed; push e→b forced + push b→g; run b passed; run g failed',
    ci: WAIT,
    live: 'b',
  },
  { steps: 'push a→b; push b→e; run e passed; push e→0; push 0→b; push b→g; run b passed', ci: WAIT, live: 'b' },
  // What is live is on the branch, or the branch has gone on from there since.
  { steps: 'push a→b; push b→e; run e passed; push e→f; run b passed', ci: WAIT, live: 'e' },
  { steps: 'push a→b; push b→e; run e passed; push e→b forced; push b→e; run b passed', ci: WAIT, live: 'e' },
];

/** Its call lists no commits, and so has no message. */
const bare: readonly Row[] = [
  { steps: 'push a→b no-ci; push b→e; run e passed; push e→b bare forced', ci: WAIT, hosts: ['gitlab'], live: 'b' },
  { steps: 'push a→b no-ci; push b→e; run e passed; push e→b bare forced', ci: [''], hosts: ['gitlab'], live: 'b' },
  { steps: 'push a→b; push b→e; run e passed; push e→b bare forced', ci: WAIT, hosts: ['gitlab'], live: 'e' },
  {
    steps: 'push a→b; push b→e; run e passed; push e→b bare forced; run b passed',
    ci: WAIT,
    hosts: ['gitlab'],
    live: 'b',
  },
  { steps: 'push a→b skip; push b→e; run e passed; push e→b bare forced', ci: ANY, hosts: ['gitlab'], live: 'e' },
];

/** Its push asked for no deploy. */
const skipped: readonly Row[] = [
  { steps: 'push a→b skip; status b passed', ci: ANY, live: 'a', because: /says \[skip deploy\]/ },
  { steps: 'push a→b skip; run b passed', ci: ANY, live: 'a' },
  { steps: 'push a→b skip; status b passed; push b→e; status e passed', ci: ANY, live: 'e' },
];

const unordered: readonly Row[] = [
  { steps: 'now e; push b→e + push a→b', ci: ['ignore', ''], live: 'e', because: OLDER },
  { steps: 'now f; push e→f + push a→b + push b→e', ci: ['ignore', ''], live: 'f', because: OLDER },
  { steps: 'push a→b; now f; push e→f + push b→e', ci: ['ignore', ''], live: 'f', because: OLDER },
  { steps: 'push a→b; push b→e; run b passed', ci: WAIT, live: 'b' },
  { steps: 'push a→b; push b→e; run e passed; run b passed', ci: WAIT, live: 'e' },
  { steps: 'push a→b; push b→e; ci b pending; run e passed; ci b passed', ci: WAIT, hosts: ONE, live: 'e' },
  { steps: 'push a→b; 70 minutes; run b passed', ci: WAIT, live: 'b' },
  { steps: 'now c; push b→c forced; push a→b', ci: ['ignore', ''], live: 'c', because: REMOVED },
  { steps: 'now c; push b→c forced + push a→b', ci: ['ignore', ''], live: 'c' },
  { steps: 'now a; push b→a forced; push a→b', ci: ['ignore', ''], live: 'a', because: REMOVED },
  { steps: 'now a; push b→a forced + push a→b', ci: ['ignore', ''], live: 'a' },
  { steps: 'push a→b; now d; push c→d; push b→c forced', ci: ['ignore', ''], live: 'd' },
  { steps: 'now e; run e passed; push a→b', ci: ['ignore', ''], live: 'e' },
  { steps: 'now b; run b passed; run a passed', ci: ['ignore', ''], live: 'b' },
  { steps: 'push a→b; now e; push b→e; push b→e', ci: ['ignore', ''], live: 'e' },
  {
    steps: 'now e; push b→e; push a→b',
    ci: ['ignore', ''],
    live: 'e',
    because: OLDER,
  },
];

/** The webhook is younger than the branch: no call has said that it is at `a`. */
const unheard: readonly Row[] = [
  { steps: 'now a; push b→c; push c→a forced; push a→b', ci: ['ignore', ''], live: 'a', because: REMOVED },
  { steps: 'now a; push b→c + push c→a forced + push a→b', ci: ['ignore', ''], live: 'a' },
  { steps: 'now a; push b→c; push a→b; push c→a forced', ci: ['ignore', ''], live: 'a' },
  { steps: 'push a→b; push b→a forced', ci: ['ignore', ''], live: 'a' },
  { steps: 'push a→b; push b→a forced; push a→e', ci: ['ignore', ''], live: 'e' },
  { steps: 'now a; push b→e; push e→a forced; push a→b', ci: ['ignore', ''], live: 'a', because: REMOVED },
  { steps: 'now a; push b→0; push 0→a; push a→b', ci: ['ignore', ''], live: 'a', hosts: ONE },
];

/** The branch was moved, and no call says so. */
const lost: readonly Row[] = [
  { steps: 'push a→b; now a', ci: ['ignore', ''], live: 'a' },
  { steps: 'push a→b; push b→c forced; now b', ci: ['ignore', ''], live: 'b' },
  { steps: 'run a failed; push a→b; run b passed; now a', ci: WAIT, live: 'b' },
  { steps: 'run a failed; push a→b; now a', ci: ['ignore'], live: 'a' },
  { steps: 'push a→b skip; push b→c forced; now b', ci: ['ignore', ''], live: 'c' },
  { steps: 'push a→b; push b→a forced; now b', ci: ['ignore', ''], live: 'b' },
  { steps: 'now a; push a→b; now b', ci: ['ignore', ''], live: 'b' },
  { steps: 'now b; run b passed; now a; push b→a forced; push a→b; now b', ci: ['ignore', ''], live: 'b' },
  { steps: 'push a→b; now e', ci: ['ignore', ''], live: 'e' },
];

/** A commit that waits for nothing gives way to one that is deployed, and to no other. */
const waiting: readonly Row[] = [
  { steps: 'push a→b no-ci + push b→e; run e failed', ci: WAIT, live: 'b' },
  { steps: 'push a→b no-ci + push b→e; run e passed', ci: WAIT, live: 'e' },
  { steps: 'push a→b no-ci + push b→e skip', ci: WAIT, live: 'b' },
];

/** A check says one thing after the other. */
const saidAgain: readonly Row[] = [
  {
    steps: 'push a→b; run b pending; ci b passed; ci b failed; ci b passed; run b passed',
    ci: WAIT,
    hosts: ONE,
    live: 'b',
  },
  { steps: 'ci b passed; ci b failed; ci b passed; push a→b', ci: WAIT, hosts: ONE, live: 'b' },
  {
    steps: 'ci b failed; ci b passed; ci b failed; push a→b',
    ci: WAIT,
    hosts: ONE,
    live: 'a',
    because: /^CI did not pass: the check "CI" of ci said "failed"\.$/,
  },
  { steps: 'push a→b; ci b failed; ci b passed; ci b passed', ci: WAIT, hosts: ONE, live: 'b' },
  { steps: 'push a→b; ci b pending; ci b passed; ci b passed', ci: WAIT, hosts: ONE, live: 'b' },
  { steps: 'ci b failed 2; ci b passed 1; push a→b', ci: WAIT, hosts: ONE, live: 'a' },
  { steps: 'ci b passed 2; ci b failed 1; push a→b', ci: WAIT, hosts: ONE, live: 'b' },
  // The last one says nothing of the commit, and nothing else is waited for.
  {
    steps: 'push a→b; status b failed; ci b pending; status b passed; ci b skipped',
    ci: WAIT,
    hosts: ONE,
    live: 'b',
  },
  { steps: 'push a→b; ci b pending; status b passed; ci b skipped', ci: WAIT, hosts: ONE, live: 'b' },
  { steps: 'push a→b; status b failed; ci b pending; ci b skipped', ci: WAIT, hosts: ONE, live: 'a' },
  { steps: 'push a→b; ci b pending; status b passed; run b pending; ci b skipped', ci: WAIT, hosts: ONE, live: 'a' },
  { steps: 'push a→b; ci b skipped', ci: WAIT, hosts: ONE, live: 'a' },
  { steps: 'push a→b; ci b pending; ci b skipped', ci: WAIT, hosts: ONE, live: 'a' },
  // What makes a duplicate says something of its commit nevertheless.
  { steps: 'status b passed 1; status b failed 1; status b passed 1; push a→b', ci: WAIT, hosts: ONE, live: 'b' },
  {
    steps: 'push a→b; ci b pending; status b passed 1; status b failed 1; status b passed 1; ci b passed',
    ci: WAIT,
    hosts: ONE,
    live: 'b',
  },
];

/** Two CI systems have called, and after another name of the repository again: one of them sends no id, and the former name. */
const BOTH = 'push a→b; run b passed; ci b passed';
const AGAIN = `${BOTH}; renamed; push b→e; run e passed; ci e passed former`;

/** The repository has another name, and the same id. */
const renamed: readonly Row[] = [
  { steps: 'push a→b; renamed; push b→e', ci: ['ignore', ''], live: 'e' },
  { steps: 'push a→b; renamed; run b passed', ci: WAIT, live: 'b' },
  { steps: 'push a→b; renamed; status b passed', ci: WAIT, live: 'b' },
  { steps: 'push a→b; renamed; run b passed; push b→e; run e passed', ci: WAIT, live: 'e' },
  { steps: 'push a→b; status b failed; renamed; run b passed', ci: WAIT, live: 'a' },
  { steps: 'push a→b; ci b pending; renamed; run b passed', ci: WAIT, live: 'a' },
  { steps: 'push a→b; push b→e; run e passed; renamed; run b passed', ci: WAIT, live: 'e' },
  { steps: 'push a→b; push b→e; run e passed; renamed; now e; push a→b', ci: ['wait', 'ignore'], live: 'e' },
  { steps: 'push a→b skip; renamed; status b passed', ci: ANY, live: 'a', because: /says \[skip deploy\]/ },
  // A call that was made before comes after those with the new name.
  {
    steps: 'renamed; now e; push b→e; push a→b former',
    ci: ['ignore', ''],
    live: 'e',
    because: OLDER,
  },
  { steps: `${BOTH}; push b→e; renamed; ci e failed; run e passed`, ci: ['wait', ''], hosts: ONE, live: 'b' },
  {
    steps: `${BOTH}; push b→e; renamed; ci e failed; run e passed; ci e passed`,
    ci: ['wait', ''],
    hosts: ONE,
    live: 'e',
  },
  { steps: `${AGAIN}; push e→f; ci f failed former; run f passed`, ci: [''], hosts: ONE, live: 'e' },
  {
    steps: `${AGAIN}; push e→f; ci f failed former; run f passed; ci f passed former`,
    ci: [''],
    hosts: ONE,
    live: 'f',
  },
  // It has its former name again.
  { steps: `${AGAIN}; renamed; push e→f; ci f failed; run f passed`, ci: [''], hosts: ONE, live: 'e' },
  { steps: `${AGAIN}; renamed; push e→f; ci f failed; run f passed; ci f passed`, ci: [''], hosts: ONE, live: 'f' },
  { steps: 'push a→b; renamed; run b failed', ci: WAIT, live: 'a' },
  { steps: 'push a→b; renamed; run b failed; run b passed', ci: WAIT, live: 'b' },
  // Its CI is known to call.
  { steps: 'run a passed; renamed; push a→b', ci: [''], live: 'a' },
  { steps: 'run a passed; renamed; push a→b; run b passed', ci: [''], live: 'b' },
];

/** Of a pull request that is opened with `b` at first. */
const pulls: readonly Row[] = [
  { steps: 'run b passed; move b→e; run e passed; move e→f; move f→b', live: 'b' },
  { steps: 'run b passed; move b→e; run e passed; move e→f; move f→b; run f passed', live: 'b' },
  { steps: 'run b passed; now c; move e→c + move b→e; run c passed; run e passed', live: 'c' },
  { steps: 'run b passed; now c; move e→c; run c passed; move b→e; run e passed', live: 'c' },
  { steps: 'run b passed; now c; move b→c; run c passed; open b', live: 'c' },
  { steps: 'run b passed; close b; now -; reopen b', live: '-' },
  { steps: 'run b passed; close e; now -; move b→e; run e passed', live: '-' },
  { steps: 'run b passed; close b; now -; open b', live: '-' },
  { steps: 'close b; now -; run b passed', live: '-' },
  { steps: 'run b failed; close b; now -; run b passed', live: '-' },
  { steps: 'run b passed; now -; close b + move b→e', live: '-' },
  { steps: 'run b passed; now -; close b + open b', live: '-' },
  { steps: 'run b passed; now e; close b + move b→e; run e passed', live: 'e' },
];

type World = Awaited<ReturnType<typeof callsWorld>>;

async function callsWorld(host: HostKind, query: Record<string, string>, roles: LogRoles, isHeard = true) {
  const world = await previewWorld(roles, 'shop', idAt(host), isHeard);
  const { trunk: a, commit, read } = world;
  const b = commit(a);
  const c = commit(a);
  const e = commit(b);
  const commits: Readonly<Record<string, CommitRef>> = { a, b, c, d: commit(c), e, f: commit(e), g: commit(b) };
  let isRenamed = false;
  const tell = (hook: HookCall | null, isFormer = false) => {
    const asked = hook && { ...hook, query: { ...hook.query, ...query } };
    return asked && world.call(isRenamed && !isFormer ? afterRename(asked) : asked);
  };
  const serving = (app: string) => {
    const snapshot = world.platform.app({ user: roles.user, app })?.serving ?? null;
    return snapshot === null ? null : deployOfSnapshot(snapshot);
  };
  let moves = true;
  /** What the messages of commits ask for. */
  const messages = new Map<string, string>();
  const { tip } = world.host;
  world.host.tip = async (...asked) => {
    const found = await tip(...asked);
    return found && { ...found, message: messages.get(found.sha) ?? found.message };
  };
  return {
    ...{ world, commits, host, tell, messages },
    /** Where the branch, or the head of the pull request, is. */
    isNow(tip: string, of: 'branch' | 'pull') {
      const ref = commits[tip];
      if (of === 'branch') world.host.branch(ref ?? { ...a, sha: '' }, BRANCH);
      else world.host.pullRequest(7, ref !== undefined, { sha: ref?.sha ?? null });
    },
    rename() {
      isRenamed = !isRenamed;
      renameAt(world.host);
    },
    /** Whether the host moves with the calls. */
    moves: () => moves,
    stays: () => {
      moves = false;
    },
    async live(app: string): Promise<string> {
      const number = serving(app);
      const sha = number === null ? null : (await read({ number })).sha;
      return Object.keys(commits).find((name) => commits[name]?.sha === sha) ?? '-';
    },
  };
}

let ids = 0;

/** Makes one call, or lets time pass. */
async function happens(step: string, of: 'branch' | 'pull', world: World): Promise<void> {
  const [verb = '', what = '', ...words] = step.split(' ');
  const { host, commits, tell } = world;
  const [from = '', to = what] = what.split('→');
  ids += 1;
  const commit = commits[to] ?? { ...(commits.a as CommitRef), sha: '0'.repeat(40) };
  const told = { id: `call-${ids}`, commit, branch: of === 'pull' ? 'changes' : BRANCH, at: world.world.clock.now() };
  const said = { words: { skip: '[skip deploy]', 'no-ci': '[skip ci]' }[words[0] ?? ''] ?? '' };
  if (verb === 'push' && said.words) world.messages.set(commit.sha, said.words);
  if (verb === 'renamed') return world.rename();
  if (what === 'minutes') return world.world.clock.pass(Number(verb) * MINUTE);
  if (verb === 'now') {
    world.isNow(what, of);
    return world.stays();
  }
  if (verb === 'run' || verb === 'status' || verb === 'ci') {
    const outcome = words[0] as RunTold['outcome'];
    const number = Number(words.find((word) => /^\d+$/.test(word)) ?? 0);
    const isFormer = words.includes('former');
    const check = verb === 'run' ? 0 : 1;
    // A run of Forgejo says the first line of the message, and a status nothing of it.
    if (verb === 'ci') await tell(anyCi({ ...told, ...said, outcome, ...(number && { build: number }) }), isFormer);
    else await tell(runCall(host, { ...told, ...said, outcome, check, attempt: 1, run: number || ids }), isFormer);
    return;
  }
  if (world.moves()) world.isNow(verb === 'close' ? '-' : to, of);
  if (verb === 'push') {
    const about = { commit: commits[to] ?? null, before: commits[from] ?? null };
    const marks = { forced: words.includes('forced'), isBare: words.includes('bare') };
    await tell(pushCall(host, { ...told, ...said, ...about, ...marks }), words.includes('former'));
    return;
  }
  const action = { open: 'opened', move: 'moves', close: 'closed', reopen: 'reopened' }[verb] ?? verb;
  const before = verb === 'move' ? commits[from] : undefined;
  const marks = { fromFork: words.includes('fork'), draft: words.includes('draft') };
  await tell(pullCall(host, { action, number: 7, commit, delivery: told.id, ...marks, ...(before && { before }) }));
}

/** Plays the steps, and lets the comparisons run. Returns what is live before these. */
async function play(steps: string, of: 'branch' | 'pull', calls: World): Promise<string> {
  const { world } = calls;
  for (const step of steps.split('; ')) {
    for (const one of step.split(' + ')) await happens(one, of, calls);
    if (step.endsWith(' building')) {
      await until('upload', world);
      continue;
    }
    await world.drain();
    await world.sweep();
    await world.drain();
  }
  const live = await calls.live(of === 'pull' ? 'shop-pr-7' : 'shop');
  for (const compare of [world.compare, world.watch]) {
    world.clock.pass(2 * MINUTE);
    await compare();
  }
  await world.settle();
  return live;
}

/** Runs stages until the next one is this. */
async function until(stage: string, { queue, deliver }: World['world']): Promise<void> {
  while (queue.sent[0] && queue.sent[0].stage !== stage) if (await deliver(queue.sent[0])) queue.sent.shift();
}

type Case = readonly [row: Row, choice: string, host: HostKind];

/** Every row, of the first host with each choice of `?ci=` or `?previews=`, and of the others with one. */
export function everyCase(rows: readonly Row[], choices: readonly string[]): readonly Case[] {
  return rows.flatMap((row) =>
    (row.hosts ?? HOSTS).flatMap((host) => {
      const all = row.ci ?? choices;
      return (host === HOSTS[0] ? all : all.slice(0, 1)).map((choice): Case => [row, choice, host]);
    }),
  );
}

/** Every row once; hosts and choices take turns. */
export function oneCase(rows: readonly Row[], choices: readonly string[]): readonly Case[] {
  return rows.map((row, index) => {
    const hosts = row.hosts ?? HOSTS;
    const all = row.ci ?? choices;
    return [row, all[index % all.length] ?? '', hosts[index % hosts.length] ?? HOSTS[0]];
  });
}

/** What must be live after calls in the order and form in which hosts and CI send them. */
export function callsContract(open: () => LogRoles, cases: typeof everyCase): void {
  const kinds = [
    ['a commit that a forced push has removed from its branch', removed],
    ['a branch that was moved back, or made again', movedBack],
    ['a push whose call has no message', bare],
    ['a commit whose push asked not to be deployed', skipped],
    ['pushes that come in the wrong order', unordered],
    ['a commit that waits for nothing', waiting],
    ['a branch whose calls are lost', lost],
    ['a branch of which earlier calls did not come here', unheard],
    ['a check whose result changes', saidAgain],
    ['a repository that was renamed', renamed],
  ] as const;
  const finals = async ({ entries }: World['world']) =>
    (await entries()).filter(({ status }: Entry) => !isFinal(status)).map(({ number, status }) => [number, status]);
  const named = (all: readonly Case[]) =>
    all.map(([row, choice, host]) => [`${row.steps} (${host} ${choice}): ${row.live}`, row, choice, host] as const);

  describe.each(kinds)('%s', (_kind, rows) => {
    it.each(named(cases(rows, [''])))('%s', async (_title, { steps, live, because }, ci, host) => {
      const calls = await callsWorld(host, { branch: BRANCH, ...(ci && { ci }) }, open(), rows !== unheard);
      const before = await play(steps, 'branch', calls);
      expect(await calls.live('shop')).toBe(live);
      if (rows !== lost) expect(before, 'before the comparisons').toBe(live);
      expect(await finals(calls.world)).toEqual([]);
      const last = (await calls.world.entries()).find(({ status }) => status !== 'ok');
      if (because) expect(last?.reason).toMatch(because);
    });
  });

  describe('a preview', () => {
    it.each(named(cases(pulls, ['ci', 'true'])))('%s', async (_title, { steps, live }, previews, host) => {
      if (host === 'bitbucket' && steps.includes('reopen')) return;
      const calls = await callsWorld(host, { branch: BRANCH, previews }, open());
      const before = await play(`open b; ${steps}`, 'pull', calls);
      expect(await calls.live('shop-pr-7')).toBe(live);
      expect(before, 'before the comparisons').toBe(live);
      expect(await finals(calls.world)).toEqual([]);
    });

    const late = (steps: string) => HOSTS.map((host) => [host, steps] as const);

    it.each([...late('open b; close e; now -; move b→e'), ...late('close b; now -; open b')])(
      'is not started by a call of %s that comes after it was closed: %s',
      async (host, steps) => {
        const calls = await callsWorld(host, { branch: BRANCH, previews: 'true' }, open());
        await play(steps, 'pull', calls);
        expect(calls.world.started).toHaveLength(steps.startsWith('open') ? 2 : 1);
      },
    );

    it.each(late('open b; run b passed; now -; close b + move b→e'))(
      'is removed by the call of %s that closes it, though a late one follows: %s',
      async (host, steps) => {
        const calls = await callsWorld(host, { branch: BRANCH, previews: 'true' }, open());
        await play(steps, 'pull', calls);
        expect((await calls.world.entries()).filter(({ provider }) => provider === RECONCILED)).toEqual([]);
        expect(await calls.live('shop-pr-7')).toBe('-');
      },
    );

    it.each([
      ...late('open b fork; move b→e fork draft; close e fork'),
      ...late('open b fork; move b→e fork + close e fork'),
      ...late('close b fork; now -; open b fork'),
    ])('of a fork of %s leaves no hold when it is closed: %s', async (host, steps) => {
      const calls = await callsWorld(host, { branch: BRANCH, previews: 'true' }, open());
      await play(steps, 'pull', calls);
      expect((await calls.world.entries()).map(({ status }) => status)).not.toContain('held');
    });
  });

  describe('the repository host', () => {
    it.each([
      ['push a→b; push b→e', 0],
      ['push a→b; push b→a forced', 0],
      ['push a→b; push b→0; push 0→c', 0],
      ['push a→b + push b→e', 2],
      ['now d; push c→d', 1],
      // Three times, because the answer may be older than the call.
      ['now c; push b→c forced; push a→b', 1 + 3 * 2],
      ['now b; 70 minutes; run b passed; push a→b', 1],
    ])('is asked after %s as often as is needed: %s', async (steps, times) => {
      const calls = await callsWorld('github', { branch: BRANCH }, open());
      const { host, drain } = calls.world;
      let asked = 0;
      for (const method of ['tip', 'compare'] as const) {
        const ask = host[method] as (...args: unknown[]) => Promise<never>;
        host[method] = (...args: unknown[]) => {
          asked += 1;
          return ask(...args);
        };
      }
      for (const step of steps.split('; ')) {
        for (const one of step.split(' + ')) {
          const before = asked;
          await happens(one, 'branch', calls);
          expect(asked, 'before a call is answered').toBe(before);
        }
        await drain();
      }
      expect(asked).toBe(times);
    });
  });
}
