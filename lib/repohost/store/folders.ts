import { join } from 'node:path';
import type { RepositoryName } from './names.ts';

/** The paths of the repository host's files under its data folder. */
export interface Folders {
  readonly root: string;
  readonly repositories: string;
  /** An empty repository, which git is shown before the first push to a missing one. */
  readonly empty: string;
  readonly deliveries: string;
  /** Address and webhook of the running host, for the hook; holds the webhook's secret. */
  readonly running: string;
  readonly tokens: string;
  /** The program behind every repository's post-receive hook. */
  readonly hookProgram: string;
  /** The program that follows a deploy for the user who pushed; missing when there is none. */
  readonly follower: string;
  readonly ofRepository: (repository: RepositoryName) => string;
  /** The file with the statuses of one commit. */
  readonly statuses: (repository: RepositoryName, sha: string) => string;
}

/** Returns the layout under the data folder. */
export function folders(root: string): Folders {
  const repositories = join(root, 'repositories');
  return {
    root,
    repositories,
    empty: join(root, 'empty.git'),
    deliveries: join(root, 'deliveries'),
    running: join(root, 'running.json'),
    tokens: join(root, 'tokens.json'),
    hookProgram: join(root, 'post-receive.mjs'),
    follower: join(root, 'follow.mjs'),
    ofRepository: ({ owner, name }) => join(repositories, owner, `${name}.git`),
    statuses: ({ owner, name }, sha) => join(root, 'statuses', owner, name, `${sha}.jsonl`),
  };
}
