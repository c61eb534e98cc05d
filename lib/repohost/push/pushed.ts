import type { KeyedMutex } from '../../../functions/core/concurrency.ts';
import { DeployError } from '../../../functions/core/errors.ts';
import { shellQuote } from '../../process/command.ts';
import { printable } from '../../terminal/printable.ts';
import type { BareRepository } from '../git/git.ts';
import { isAncestor, readCommit, settleDefaultBranch } from '../git/revisions.ts';
import type { OpenRepositories } from '../local-host.ts';
import { type RepositoryRecord, readRecord } from '../store/folders.ts';
import type { Accepted, MovedRef, Receiver } from './receiver.ts';

export interface PushContext extends Pick<OpenRepositories, 'git' | 'folders'> {
  readonly receiver: Receiver;
  /** Held for what is recorded of one repository, by `owner/name`. */
  readonly oneAtATime: KeyedMutex;
}

/** The bare repository of a push, and who has pushed; null is its owner. */
interface Push {
  readonly folder: string;
  readonly pusher: string | null;
}

/** A ref that a push moved; an id of all zeros means that it did not exist before, or was deleted. */
interface Move {
  readonly before: string;
  readonly after: string;
  readonly ref: string;
}

/**
 * Records a push by the lines that git gives a post-receive hook (https://git-scm.com/docs/githooks#post-receive). Of the
 * refs besides the default branch, which deploy nothing, one alone is recorded, so that the log says why: a mirror's
 * thousand tags would fill it. Returns lines for the user who pushes, and what goes on.
 */
export async function recordPush(
  context: PushContext,
  { folder, pusher }: Push,
  lines: string,
): Promise<{ readonly said: readonly string[]; readonly open: readonly Accepted[] }> {
  const record = readRecord(folder);
  const bare = { git: context.git, folder: context.folders.ofRepository(record) };
  return context.oneAtATime(`${record.owner}/${record.name}`, async () => {
    const moves = movesIn(lines);
    const defaultBranch = (await settleDefaultBranch(bare, branchesOf(moves))) ?? 'master';
    const isDeployed = ({ ref }: Move) => ref === `refs/heads/${defaultBranch}`;
    const others = moves.filter((move) => !isDeployed(move));
    const said: string[] = [];
    const open: Accepted[] = [];
    for (const move of [...moves.filter(isDeployed), ...(others.length === 1 ? others : [])]) {
      const { line, accepted } = await recordMove(context, { bare, record, defaultBranch, pusher }, move);
      said.push(line);
      if (accepted?.isOpen) open.push(accepted);
    }
    if (others.length > 1) said.push(notRecorded(others, defaultBranch));
    const [branch] = branchesOf(others);
    if (branch !== undefined && others.length === moves.length) said.push(...howToChange(bare, defaultBranch, branch));
    return { said, open };
  });
}

interface Pushed {
  readonly bare: BareRepository;
  readonly record: RepositoryRecord;
  readonly defaultBranch: string;
  readonly pusher: string | null;
}

async function recordMove(
  { receiver }: PushContext,
  { bare, record, defaultBranch, pusher }: Pushed,
  { ref, before, after }: Move,
): Promise<{ readonly line: string; readonly accepted?: Accepted }> {
  const name = ref.replace(/^refs\/(?:heads|tags)\//, '');
  const what = isZero(after) ? `${name} (deleted)` : `${name} (${after.slice(0, 7)})`;
  try {
    const ids = { ref, before: isZero(before) ? null : before, after: isZero(after) ? null : after };
    const accepted = await receiver.accept(await movedRef(bare, { ...record, ...ids, defaultBranch, pusher }));
    return { line: `deploy ${what} ${outcomeOf(accepted)}`, accepted };
  } catch (error) {
    const isKept = ref === `refs/heads/${defaultBranch}` && mayPass(error);
    const consequence = isKept
      ? 'The push is kept, and is deployed as soon as it can be recorded'
      : 'It is not deployed';
    return { line: `deploy ${what} failed: ${reasonOf(error)}. ${consequence}.` };
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

function howToChange({ folder }: BareRepository, defaultBranch: string, branch: string): readonly string[] {
  return [
    `${defaultBranch} is the default branch of this repository. To make it ${branch}, for the next push:`,
    `  git -C ${shellQuote(folder)} symbolic-ref HEAD ${shellQuote(`refs/heads/${branch}`)}`,
  ];
}

function branchesOf(moved: readonly Move[]): string[] {
  const made = moved.filter(({ ref, after }) => ref.startsWith('refs/heads/') && !isZero(after));
  return made.map(({ ref }) => ref.slice('refs/heads/'.length));
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
