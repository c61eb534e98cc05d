import { execFile } from 'node:child_process';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const SOURCE = fileURLToPath(new URL('hello', import.meta.url));

/**
 * Pushes the sample application into an empty bare repository with git, so that the repository's hook starts the
 * deploy. The work tree is a temporary folder in `scratch`.
 */
export async function pushSample(repository: string, branch: string, scratch = tmpdir()): Promise<void> {
  const folder = await mkdtemp(join(scratch, 'sample-'));
  const git = (...args: string[]) => run('git', args, { cwd: folder, env: ownEnvironment() });
  try {
    await cp(SOURCE, folder, { recursive: true });
    await git('init', '--quiet', `--initial-branch=${branch}`);
    await git('add', '--all');
    await git('commit', '--quiet', '--no-gpg-sign', '--message', 'A first page');
    // The push need not wait: the service itself draws the deploy.
    await git('push', '--quiet', '--push-option', 'nowait', repository, branch);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Resolves with whether a bare repository has the branch. */
export async function hasBranch(repository: string, branch: string): Promise<boolean> {
  const args = ['rev-parse', '--verify', '--quiet', `refs/heads/${branch}`];
  return run('git', args, { cwd: repository, env: ownEnvironment() }).then(
    () => true,
    () => false,
  );
}

/** The user's git configuration is not used: it may require signatures or hooks, or lack a name. */
function ownEnvironment(): NodeJS.ProcessEnv {
  const author = { NAME: 'Deployment Webhooks', EMAIL: 'sample@localhost' };
  return {
    PATH: process.env.PATH,
    HOME: process.env.HOME,
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_AUTHOR_NAME: author.NAME,
    GIT_AUTHOR_EMAIL: author.EMAIL,
    GIT_COMMITTER_NAME: author.NAME,
    GIT_COMMITTER_EMAIL: author.EMAIL,
  };
}
