import type { AttendedPushes } from '../delivery/attended-pushes.ts';
import type { ArchiveLinks } from '../git/archive.ts';
import type { GitBackend } from '../git/backend.ts';
import type { Git } from '../git/git.ts';
import type { CommitStatuses } from '../store/commit-statuses.ts';
import type { Folders } from '../store/folders.ts';
import type { Repositories } from '../store/repositories.ts';
import type { Tokens } from '../store/tokens.ts';
import type { Caller, Logins } from './access.ts';

export interface RestDependencies {
  readonly git: Git;
  readonly repositories: Repositories;
  readonly statuses: CommitStatuses;
  readonly links: ArchiveLinks;
  readonly tokens: Tokens;
  /** Returns the address of the host. */
  readonly url: () => string;
}

export interface ServerDependencies extends RestDependencies {
  readonly backend: GitBackend;
  readonly folders: Folders;
  readonly logins: Logins;
  readonly pushes: Pick<AttendedPushes, 'attend'>;
  readonly log: (line: string) => void;
}

/** A request to the API; `path` holds its decoded segments. */
export interface RestRequest {
  readonly caller: Caller;
  readonly path: readonly string[];
  readonly query: URLSearchParams;
  readonly method: string;
  readonly accept: string;
  readonly body: AsyncIterable<Uint8Array>;
}
