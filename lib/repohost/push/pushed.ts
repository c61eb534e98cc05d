import type { KeyedMutex } from '../../../functions/core/concurrency.ts';
import { DeployError } from '../../../functions/core/errors.ts';
import type { MovedRef } from '../../../functions/core/payload/moved-ref.ts';
import { shellQuote } from '../../process/command.ts';
import { printable } from '../../terminal/printable.ts';
import type { BareRepository } from '../git/git.ts';
import { isAncestor, readCommit, settleDefaultBranch } from '../git/revisions.ts';
import type { OpenRepositories } from '../local-host.ts';
import { type RepositoryRecord, readRecord } from '../store/folders.ts';
import type { Accepted, DeployedBy, Receiver } from './receiver.ts';

export interface PushContext extends Pick<OpenRepositories, 'git' | 'folders'> {
  readonly receiver: Receiver;
  /** Held for what is recorded of one repository, by `owner/name`. */
  readonly oneAtATime: KeyedMutex;
}

/** A push into a bare repository. */
interface Push {
  readonly folder: string;
  /** Who has pushed; null is the owner. */
  readonly pusher: string | null;
  /** The name of the API token. */
  readonly token?: string | undefined;
  /** The lines that git gives a post-receive hook (https://git-scm.com/docs/githooks#post-receive). */
  readonly moved: string;
  readonly options: readonly string[];
}

/** The option of a push that is not to show what becomes of it. */
export const NO_WAIT = 'nowait';

/** A ref that a push moved; an id of all zeros means that it did not exist before, or was deleted. */
interface Move {
  readonly before: string;
  readonly after: string;
  readonly ref: string;
}

/**
 * Records a push of the default branch. Of the other refs, which deploy nothing, one alone is recorded, so that the log
 * says why: a mirror's thousand tags would fill it. Returns lines for the user who pushes, and what goes on.
 */
export async function recordPush(
  context: PushContext,
  { folder, pusher, token, moved, options }: Push,
): Promise<{ readonly said: readonly string[]; readonly open: readonly Accepted[] }> {
  const record = readRecord(folder);
  const bare = { git: context.git, folder: context.folders.ofRepository(record) };
  return context.oneAtATime(`${record.owner}/${record.name}`, async () => {
    const moves = movesIn(moved);
    const defaultBranch = (await settleDefaultBranch(bare, branchesOf(moves))) ?? 'master';
    const isDeployed = ({ ref }: Move) => ref === `refs/heads/${defaultBranch}`;
    const others = moves.filter((move) => !isDeployed(move));
    const said = unknownOptions(options);
    const open: Accepted[] = [];
    for (const move of [...moves.filter(isDeployed), ...(others.length === 1 ? others : [])]) {
      const { lines, accepted } = await recordMove(context, { bare, record, defaultBranch, pusher, token }, move);
      said.push(...lines);
      if (accepted?.isFollowed) open.push(accepted);
    }
    if (others.length > 1) said.push(notRecorded(others, defaultBranch));
    const [branch] = branchesOf(others);
    if (branch !== undefined && others.length === moves.length) {
      const deployed = await context.receiver.deployedBy({ ...record, defaultBranch }, branch);
      said.push(...howToChange(deployed, defaultBranch, branch));
    }
    return { said, open };
  });
}

const MAX_SHOWN = 60;

function unknownOptions(options: readonly string[]): string[] {
  return options
    .filter((option) => option !== NO_WAIT)
    .map((option) => `The push option ${option.slice(0, MAX_SHOWN)} is unknown; there is ${NO_WAIT}.`);
}

interface Pushed extends Pick<Push, 'pusher' | 'token'> {
  readonly bare: BareRepository;
  readonly record: RepositoryRecord;
  readonly defaultBranch: string;
}

async function recordMove(
  { receiver }: PushContext,
  { bare, record, ...by }: Pushed,
  { ref, before, after }: Move,
): Promise<{ readonly lines: readonly string[]; readonly accepted?: Accepted }> {
  const name = ref.replace(/^refs\/(?:heads|tags)\//, '');
  const what = isZero(after) ? `${name} (deleted)` : `${name} (${after.slice(0, 7)})`;
  try {
    const ids = { ref, before: isZero(before) ? null : before, after: isZero(after) ? null : after };
    const accepted = await receiver.accept(await movedRef(bare, { ...record, ...ids, ...by }));
    return { lines: [`deploy ${what} ${outcomeOf(accepted)}`], accepted };
  } catch (error) {
    const isKept = ref === `refs/heads/${by.defaultBranch}` && mayPass(error);
    const consequence = isKept
      ? 'The push is kept, and is deployed as soon as it can be recorded'
      : 'It is not deployed';
    return { lines: [`deploy ${what} failed: ${reasonOf(error)}. ${consequence}.`] };
  }
}

/** Returns what became of a push, in words. */
export function outcomeOf({ status, reason, page }: Accepted): string {
  return `${status}${reason === null ? '' : `: ${printable(reason)}`}\n  ${page}`;
}

/** Whether a push that was not recorded may be recorded later. */
export function mayPass(error: unknown): boolean {
  return !(error instanceof DeployError) || error.status >= 500;
}

/** Returns why a push was not recorded, without a full stop. */
export function reasonOf(error: unknown): string {
  const text = error instanceof DeployError ? error.detail : error instanceof Error ? error.message : String(error);
  return printable(text).trim().slice(0, 300).replace(/\.$/, '');
}

type MovedIds = Omit<MovedRef, 'forced' | 'message' | 'author'> & { readonly pusher: string | null };

/** Returns a ref that has moved, with what the repository says of its commits. */
export async function movedRef(bare: BareRepository, { pusher, ...ids }: MovedIds): Promise<MovedRef> {
  const { before, after, owner } = ids;
  const [isForced, head] = await Promise.all([
    before !== null && after !== null && isAncestor(bare, before, after).then((is) => !is),
    after === null ? undefined : readCommit(bare, after),
  ]);
  return { ...ids, forced: isForced, message: head?.message ?? null, author: head?.author.name || (pusher ?? owner) };
}

function isZero(id: string): boolean {
  return /^0+$/.test(id);
}

/** Returns the ways to deploy another branch. */
function howToChange({ app, environment }: DeployedBy, defaultBranch: string, branch: string): readonly string[] {
  const beside = [
    `To deploy ${branch} beside it, with variables and domains of its own:`,
    `  hooks create ${app} --environment ${environment}`,
  ];
  return [
    `${defaultBranch} is the branch of this repository that is deployed. To deploy ${branch} in its place, from the next push on:`,
    `  hooks set ${app} ${shellQuote(`branch=${branch}`)}`,
    ...(environment === null ? [] : beside),
  ];
}

function branchesOf(moved: readonly Move[]): string[] {
  const made = moved.filter(({ ref, after }) => ref.startsWith(BRANCHES) && !isZero(after));
  return made.map(({ ref }) => branchIn(ref));
}

const BRANCHES = 'refs/heads/';

function branchIn(ref: string): string {
  return ref.slice(BRANCHES.length);
}

function movesIn(lines: string): Move[] {
  return lines.split('\n').flatMap((line) => {
    const [before, after, ref] = line.split(' ');
    return before && after && ref ? [{ before, after, ref }] : [];
  });
}

/** Returns a sentence about the other refs: `2 branches and 998 tags of this push are not recorded: …`. */
function notRecorded(others: readonly Move[], defaultBranch: string): string {
  const tags = others.filter(({ ref }) => ref.startsWith('refs/tags/')).length;
  const branches = others.filter(({ ref }) => ref.startsWith('refs/heads/')).length;
  const rest = others.length - tags - branches;
  const parts = [counted(branches, 'branch', 'branches'), counted(tags, 'tag', 'tags'), counted(rest, 'ref', 'refs')];
  const named = parts.filter(Boolean).join(' and ');
  return `${named} of this push are not sent to the service: only ${defaultBranch} is deployed.`;
}

function counted(count: number, one: string, many: string): string {
  return count === 0 ? '' : `${count} ${count === 1 ? one : many}`;
}
