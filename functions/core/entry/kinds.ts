import type { Skip } from '../payload/skip-words.ts';

/** The kind of an entry, with the fields that only it has: a rule about one kind meets that kind only. */
export type Kind = Push | Build | Preview | Operated;

/**
 * A commit of a branch, brought by a host's call, a person or a comparison with the branch's tip; also a call that deploys
 * nothing, such as that of a deleted branch.
 */
export interface Push extends OfCommit {
  readonly kind: 'push';
  readonly pullRequest?: undefined;
  /** Absent when neither the push nor its hook has a choice: the repository decides then. */
  readonly ci?: CiChoice | undefined;
  /** A person has connected the repository: its application follows the branch, as that of a push does. */
  readonly connects?: true | undefined;
  /** The CI providers that its commit's message tells not to test it; absent when it names none. */
  readonly skipsCi?: readonly string[] | undefined;
}

/** The commit of a build on a branch, brought by the call of a CI provider, with whatever result. */
interface Build extends OfCommit {
  readonly kind: 'build';
  readonly pullRequest?: undefined;
  readonly ci?: undefined;
}

/** The head commit of a pull request, which becomes an application of its own. */
export interface Preview extends OfCommit {
  readonly kind: 'preview';
  readonly pullRequest: PullRequestOf;
  readonly ci?: CiChoice | undefined;
}

/** What is done with an application that is there; it deploys no new commit. */
export interface Operated {
  readonly kind: 'operation';
  readonly operation: Operation;
  readonly ci?: undefined;
  /** The pull request of a preview; closed or merged, if that is why it is removed. */
  readonly pullRequest?: (PullRequestOf & { readonly closed?: true | undefined }) | undefined;
  /** The name in package.json that the application had before; of a `rename` only. */
  readonly formerName?: string;
}

interface OfCommit {
  readonly operation?: undefined;
}

/**
 * The operations of entries that do not deploy a commit. Nobody has requested an `incident`: it is `crashed`, and `ok` when
 * it is over.
 */
export type Operation = 'rollback' | 'restart' | 'stop' | 'rename' | 'remove' | 'incident';

/** Whether an entry deploys something, and so counts for badges and commit statuses: also what runs, by another name. */
export function isDeploy({ operation }: { readonly operation?: string | undefined }): boolean {
  return operation === undefined || operation === 'rollback' || operation === 'rename';
}

/** The choice of a push or its hook to wait for CI or not. */
export interface CiChoice {
  readonly waits: boolean;
  /** The origin of the choice, as the start of a sentence: `The commit's message says [skip ci]`. */
  readonly because: string;
  /** `hook`: the choice holds for every push of the webhook; absent: for this one only. */
  readonly from?: 'hook';
  /** The hook's choice, which this one is in place of; absent when it is that, or when the hook makes none. */
  readonly hook?: CiChoice;
}

/** Returns the choice of an entry's hook, which holds for its next pushes too; undefined when it makes none. */
export function hookChoice(ci: CiChoice | undefined): CiChoice | undefined {
  return ci?.from === 'hook' ? ci : ci?.hook;
}

/** Returns a choice for one entry only, which keeps that of its hook. */
export function onceInstead(ci: CiChoice | undefined, because: string): CiChoice {
  const hook = hookChoice(ci);
  return { waits: false, because, ...(hook && { hook }) };
}

/** Returns the choice of a push whose commit's message may skip CI: no provider calls then, whatever the hook waits for. */
export function ciChoice(ci: CiChoice | undefined, skip: Skip | null): CiChoice | undefined {
  const isWithout = ci !== undefined && !ci.waits;
  return skip?.ci && !isWithout ? onceInstead(ci, `The commit's message says ${skip.words}`) : ci;
}

/** Whether an entry deploys without waiting for CI, as its hook, its message or a person has said. */
export function ignoresCi({ ci }: { readonly ci?: CiChoice | undefined }): boolean {
  return ci !== undefined && !ci.waits;
}

export interface PullRequestOf {
  readonly number: number;
  /** Its commits come from another repository, so that they are a stranger's; absent for the same repository. */
  readonly fromFork?: true | undefined;
  /** The fork, `owner/name`, at a host where the commits of a fork are in the fork only. */
  readonly source?: string | undefined;
  /** Somebody has let this commit of a fork go. */
  readonly released?: true;
  /** The hook's address has previews wait for CI. */
  readonly ci?: true | undefined;
  /** The application that is previewed, by the name in package.json; absent until it is known. */
  readonly parent?: string | undefined;
}

/** Whether an entry is the call that closes a pull request, or the removal of its preview for that reason. */
export function closesPullRequest(entry: Kind): boolean {
  return entry.kind === 'operation' && entry.pullRequest?.closed === true;
}

/** The fields by which the kind of an entry of version 1.0.0 is known, which wrote none. */
export interface WithoutKind {
  readonly operation?: unknown;
  readonly pullRequest?: unknown;
  readonly fromBuild?: boolean;
}

export function kindOf({ operation, pullRequest, fromBuild }: WithoutKind): Kind['kind'] {
  if (operation !== undefined) return 'operation';
  if (pullRequest !== undefined) return 'preview';
  return fromBuild ? 'build' : 'push';
}
