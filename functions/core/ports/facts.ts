import type { SettingChanges, Settings } from '../apps/settings.ts';
import type { AppOwner } from '../entry/app-owner.ts';
import type { CheckResult } from '../hold/checks.ts';
import type { CommitRef, RepositoryRef } from '../payload/delivery.ts';
import type { AppRef } from './platform.ts';

/** The state of a commit on a branch, or the results of it on all (`EVERY_TRACK`). It is kept apart from the entries, because results can arrive before the push. */
export interface CommitState {
  readonly checks: readonly CheckResult[];
  /** Grows with every check result. */
  readonly version: number;
  /** The entry that waits for CI; that of a preview also after it has ended without. */
  readonly held: number | null;
  /** The entry that deploys, or deployed, the commit. */
  readonly deploying: number | null;
  /** Whether that is a CI provider's entry for which no push has arrived yet. */
  readonly awaitsPush: boolean;
  /** The words by which the message of its push asks that it is not deployed; null when there are none. */
  readonly skip: string | null;
}

/** A commit with the number of the entry that waits for its results, or has ended since. */
export interface Hold {
  readonly sha: string;
  readonly held: number;
}

/** Whether a CI provider is expected to report on the commits of a track. */
export interface ExpectedCi {
  readonly track: string;
  readonly provider: string;
  /** Milliseconds since 1970 until which it is expected; null: no longer. */
  readonly until: number | null;
  /** Another name of the repository, under which it is expected too. */
  readonly alsoOf?: RepositoryRef;
}

export interface BranchFacts {
  /** Number of the newest accepted push; 0 when there is none. */
  readonly newest: number;
  /**
   * The commit that the last call moved the branch, or the pull request, to, deployed or not; null before the first, and
   * when it was deleted or closed.
   */
  readonly tip: string | null;
  /** Whether each call moved it from where another one had left it: none is missing, late or doubled. */
  readonly isTipSure: boolean;
  /** The entry that was promoted last. */
  readonly activeDeploy: { readonly number: number; readonly sha: string } | null;
  /** The application that earlier commits of the branch named. */
  readonly app: string | null;
  /** Another name of the repository, under which CI has said of its commits what counts here too; null for none. */
  readonly otherName: RepositoryRef | null;
  /** Expected CI providers, each with the time until which it is expected, in milliseconds since 1970. */
  readonly ci: Readonly<Record<string, number>>;
}

/** A repository that deploys an application. */
export interface OwnerClaim extends AppOwner {
  /** The branch that it follows, for a preview that of its commits; absent unless deployed from a push. */
  readonly branch?: string;
}

/** An application by the platform's name of it, with its owner. */
export interface OwnedApp {
  readonly app: string;
  readonly owner: OwnerClaim;
}

/**
 * Facts about commits and branches. Strong reads; owners and repositories are case-insensitive. A `track` is a branch with
 * the folder of the application, as `trackOf` returns it.
 */
export interface CommitFacts {
  commitState(user: string, commit: CommitRef, track: string): Promise<CommitState>;
  /** Returns the commits of a track that have a state and start with these digits. */
  commits(user: string, repository: RepositoryRef, track: string, digits: string): Promise<readonly string[]>;
  /** Returns what is held, on whatever track, for the commits of a repository that start with these digits. */
  holds(user: string, repository: RepositoryRef, digits: string): Promise<readonly Hold[]>;
  /** Returns what may be held of a pull request, by the number of each entry; that of another folder may be among it. */
  heldOf(user: string, preview: AppOwner): Promise<readonly number[]>;
  branch(user: string, repository: RepositoryRef, track: string): Promise<BranchFacts>;
}

/** Which repository deploys which application. `app` is the platform's name of one. Strong reads, but `owned`. */
export interface AppOwners {
  /**
   * Claims the application for a start. Returns false when a deploy with a higher order has claimed it; the same order
   * may claim it again.
   */
  claimApp(user: string, app: string, order: number): Promise<boolean>;
  /** Returns the owner of an application; null when its name is free. */
  appOwner(user: string, app: string): Promise<OwnerClaim | null>;
  /**
   * Returns the applications of an owner, by the id of its repository or, of those whose owner has none, by its name. The
   * cost depends on their number, not on that of the user's. An application that has just been claimed may be missing.
   */
  owned(user: string, owner: AppOwner): Promise<readonly OwnedApp[]>;
  /**
   * Makes a repository the owner of an application whose name is free; the name and the id of one that owns it already
   * (`isSameOwner`) are those of the claim from then on, if that has an id. Returns the claim before; null when the name
   * was free. An application that follows no branch yet follows that of the claim from then on, and is compared with its
   * tip (`TrackedApps`).
   */
  ownApp(user: string, app: string, claim: OwnerClaim): Promise<OwnerClaim | null>;
  /**
   * Makes a repository the owner of an application in place of the one before, if any. The branch that it follows stays.
   */
  transferApp(user: string, app: string, owner: AppOwner): Promise<void>;
  /**
   * Moves the owner of an application, with the branch, to a name that is free; `to` is the platform's name, too. A
   * second call changes nothing.
   */
  renameApp(user: string, app: string, to: string): Promise<void>;
  /** Makes an application follow another branch. Returns false when the application has no owner. */
  followBranch(user: string, app: string, branch: string): Promise<boolean>;
  /** Frees the name of an application, for whichever repository deploys it next. */
  freeApp(user: string, app: string): Promise<void>;
}

/** What the pushes to a repository of this machine deploy. */
export interface RepositoryApps {
  /**
   * Returns the application, no preview, that belongs to a repository, whatever its folder and environment: of several the
   * one that has the name of the repository; null for none.
   */
  ofRepository(user: string, repository: RepositoryRef): Promise<OwnedApp | null>;
}

export interface DeployFacts extends CommitFacts, AppOwners {}

/** The log's record of an application. */
export interface AppFact {
  /** The name in package.json, with its scope. */
  readonly name: string;
  /** Number of the entry whose deploy the application runs; null when there is none. */
  readonly active: number | null;
  readonly entries: number;
}

export interface AppFacts {
  /**
   * Returns the facts about an application by the platform's name of it: of several packages that are one there, those of
   * the one that runs. Null when it has no entries.
   */
  named(user: string, app: string): Promise<AppFact | null>;
  /** Returns the number of the entry whose deploy an application runs, by its name in package.json; null for none. */
  active(user: string, name: string): Promise<number | null>;
  /**
   * Returns the number of the last entry that overruled the earlier deploys of an application
   * (`AppendRequest.overrules`), by the platform's name of it; 0 when there is none.
   */
  overruledUntil(user: string, app: string): Promise<number>;
  /** Returns the order of the last deploy that claimed the application for its start; 0 before the first. */
  claimedOrder(user: string, app: string): Promise<number>;
}

/** An application with the branch that it follows. */
export interface TrackedApp extends AppRef {
  readonly owner: AppOwner;
  readonly branch: string;
  /** When it was compared with the tip of the branch, in milliseconds since 1970; 0: never. */
  readonly comparedAt: number;
}

/**
 * The applications whose branches are compared with their tips: those that have been deployed from a push or its build.
 */
export interface TrackedApps {
  /** Returns up to `limit` applications that are due by `now`, the longest overdue first. */
  toCompare(now: number, limit: number): Promise<readonly AppRef[]>;
  /** Returns an application; null when it has never been deployed from a push, or was removed. */
  tracked(app: AppRef): Promise<TrackedApp | null>;
  /** Returns the previews of an owner's application, which are found as `owned` finds it, in any order. */
  previews(user: string, parent: AppOwner): Promise<readonly TrackedApp[]>;
  /** Returns up to `limit` previews of all users. */
  allPreviews(limit: number): Promise<readonly TrackedApp[]>;
  /** Keeps when an application was compared, if it was, and when it is due again. A removed application stays removed. */
  compared(app: AppRef, times: { readonly at?: number; readonly dueAt: number }): Promise<void>;
}

/**
 * The settings of applications that persons have made, by the platform's names of these. They are known before the first
 * deploy and stay over all of them.
 */
export interface AppSettings {
  /** Returns the settings; empty without any. A strong read. */
  read(app: AppRef): Promise<Settings>;
  /** Changes these settings and keeps the others; null removes one. All or none are changed. */
  change(app: AppRef, changes: SettingChanges): Promise<void>;
  /** Moves the settings to another name, in place of those there. Without any, as for a second call, it does nothing. */
  move(app: AppRef, to: string): Promise<void>;
  /** Removes all settings; a second call does nothing. */
  remove(app: AppRef): Promise<void>;
}
