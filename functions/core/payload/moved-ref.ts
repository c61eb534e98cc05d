/** A ref of a repository of this machine that has moved. */
export interface MovedRef {
  readonly owner: string;
  readonly name: string;
  readonly private: boolean;
  /** The branch that the repository deploys. */
  readonly defaultBranch: string;
  readonly ref: string;
  /** The commit before; null for a new ref. */
  readonly before: string | null;
  /** The commit, or the tag of it; null when the ref was deleted. */
  readonly after: string | null;
  readonly forced: boolean;
  /** The whole message of the commit. */
  readonly message: string | null;
  readonly author: string | null;
  /** The name of the API token of the push; absent for the password, and for a push into the folder. */
  readonly token?: string | undefined;
}

/** The tip of the default branch of a repository. */
export type DefaultTip = Pick<MovedRef, 'owner' | 'name' | 'defaultBranch'> & { readonly sha: string };
