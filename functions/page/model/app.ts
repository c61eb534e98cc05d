import type { Entry, Repository } from './entry.ts';

/** An application, as the API shows it. */
export interface App {
  /** The name in package.json. */
  readonly name: string;
  readonly repository: Repository | null;
  readonly branch: string | null;
  readonly state: string;
  readonly url: string | null;
  readonly active: Entry | null;
  readonly rollback: readonly Entry[];
}
