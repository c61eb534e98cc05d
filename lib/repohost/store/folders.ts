import { join } from 'node:path';
import type { RepositoryName } from './names.ts';

/** The paths of the repository host's files under its data folder. */
export interface Folders {
  readonly root: string;
  readonly repositories: string;
  readonly deliveries: string;
  /** Address and webhook of the running host, for the hook; holds the webhook's secret. */
  readonly running: string;
  readonly tokens: string;
  /** The program behind every repository's post-receive hook. */
  readonly hookProgram: string;
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
    deliveries: join(root, 'deliveries'),
    running: join(root, 'running.json'),
    tokens: join(root, 'tokens.json'),
    hookProgram: join(root, 'post-receive.mjs'),
    ofRepository: ({ owner, name }) => join(repositories, owner, `${name}.git`),
    statuses: ({ owner, name }, sha) => join(root, 'statuses', owner, name, `${sha}.jsonl`),
  };
}
