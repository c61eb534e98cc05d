import { join } from 'node:path';
import type { RepositoryName } from './names.ts';

/** Where the repository host keeps its things under its data folder. */
export interface Folders {
  readonly root: string;
  readonly repositories: string;
  readonly deliveries: string;
  /** Where the running host is, for the hook; holds the webhook's secret. */
  readonly running: string;
  readonly tokens: string;
  /** The program behind every repository's post-receive hook. */
  readonly hookProgram: string;
  readonly ofRepository: (repository: RepositoryName) => string;
  /** The commit statuses of one commit. */
  readonly statuses: (repository: RepositoryName, sha: string) => string;
}

/** The layout under the data folder. */
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
