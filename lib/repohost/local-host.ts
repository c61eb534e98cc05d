import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { isRelativePath, NO_WHOLE_ID } from '../../functions/adapters/hosts/coordinates.ts';
import { DeployError, type ErrorCode } from '../../functions/core/errors.ts';
import { isCommitId, type RepositoryRef } from '../../functions/core/payload/delivery.ts';
import type { VerifyLogin } from '../../functions/core/ports/accounts.ts';
import type { Host, HostToken } from '../../functions/core/ports/repository-host.ts';
import { OperatorError } from '../files/errors.ts';
import type { BareRepository, Git } from './git/git.ts';
import { compareCommits, defaultBranch, findBlob, findCommit, readCommit } from './git/revisions.ts';
import type { Folders } from './store/folders.ts';
import type { Repositories } from './store/repositories.ts';

interface LocalHostOptions {
  /** Its name among the hosts. */
  readonly name: string;
  readonly verify: VerifyLogin;
}

/** The repositories of this machine, and git to read them with. */
export interface OpenRepositories {
  readonly git: Git;
  readonly folders: Folders;
  readonly repositories: Repositories;
}

const NO_FILE = 'deploy:repohost:no_pkg_json';
const NO_TARBALL = 'deploy:repohost:download_tarball';
const NOT_PAIRED = 'auth:repohost:github_pairing_failed';

/**
 * Returns the repositories of this machine as a repository host, over git alone. A token is the login of the user who has
 * paired, with a password or an API token: within the process it needs no secret. There are no commit statuses.
 */
export function localHost(
  { git, folders, repositories }: OpenRepositories,
  { name: host, verify }: LocalHostOptions,
): Host {
  const failingAs = failureOf(folders.root);
  const visible = (code: ErrorCode, { owner, name }: RepositoryRef, token: HostToken): BareRepository => {
    const repository = repositories.find({ owner, name });
    if (repository === null || (repository.private && token !== owner)) throw hidden(code, `${owner}/${name}`);
    return { git, folder: repository.folder };
  };
  const hidden = (code: ErrorCode, what: string) =>
    refused(
      code,
      `${what} is not on this machine. Is it a private repository? Then pair a token with POST /1/auth/${host}.`,
    );
  const commitIn = async (code: ErrorCode, repository: RepositoryRef, sha: string, token: HostToken) => {
    if (!isCommitId(sha)) throw refused(code, NO_WHOLE_ID);
    const bare = visible(code, repository, token);
    if ((await findCommit(bare, sha)) !== sha) {
      throw hidden(code, `The commit ${sha.slice(0, 12)} of ${repository.owner}/${repository.name}`);
    }
    return bare;
  };
  return {
    file: (commit, path, token, maxBytes) =>
      failingAs(NO_FILE, async () => {
        if (!isRelativePath(path)) throw refused(NO_FILE, 'The path of a file must be relative, without "..".');
        const bare = await commitIn(NO_FILE, commit, commit.sha, token);
        const blob = await findBlob(bare, commit.sha, path);
        if (blob === 'tree') throw refused(NO_FILE, `${path} is a folder.`);
        if (blob === null) return null;
        if (blob.bytes > maxBytes) throw refused(NO_FILE, `Too large: ${path} has more than ${maxBytes} bytes.`);
        return git.read(['-C', bare.folder, 'cat-file', 'blob', blob.id]);
      }),
    tarball: (commit, token, signal) =>
      failingAs(NO_TARBALL, async () => {
        const bare = await commitIn(NO_TARBALL, commit, commit.sha, token);
        return outputOf(archiveOf(bare, commit), signal);
      }),
    compare: (base, head, token) =>
      failingAs(NO_FILE, async () => {
        const bare = await commitIn(NO_FILE, base, base.sha, token);
        await commitIn(NO_FILE, base, head, token);
        const comparison = await compareCommits(bare, base.sha, head);
        if (comparison === null) throw refused(NO_FILE, 'The two commits have no common ancestor.');
        if (comparison.ahead > 0) return comparison.behind > 0 ? 'diverged' : 'ahead';
        return comparison.behind > 0 ? 'behind' : 'identical';
      }),
    tip: (repository, branch, token) =>
      failingAs(NO_FILE, async () => {
        const bare = visible(NO_FILE, repository, token);
        const sha = await findCommit(bare, `refs/heads/${branch}`);
        const commit = sha === null ? undefined : await readCommit(bare, sha);
        return commit ? { sha: commit.id, message: commit.message, author: commit.author.name } : null;
      }),
    repository: (repository, token) =>
      failingAs(NO_FILE, async () => {
        const bare = visible(NO_FILE, repository, token);
        const isPrivate = repositories.find(repository)?.private === true;
        return { defaultBranch: await defaultBranch(bare), private: isPrivate, url: null };
      }),
    async pair(login, secret) {
      const isValid = await verify(login, secret).catch((cause: unknown) => {
        throw new DeployError(NOT_PAIRED, 'The login cannot be verified now; try again.', { retry: true, cause });
      });
      if (!isValid) throw refused(NOT_PAIRED, 'This is not the password or an API token of that user.');
      return { login, token: login, scopes: ['repo'], expiresAt: null };
    },
    wholeCommit: async () => {
      throw refused(NO_FILE, NO_WHOLE_ID);
    },
    // Never a closed one: the preview of a call that somebody sends by hand would be removed.
    pullRequestState: async (_repository, number) => {
      throw refused(NO_FILE, `This repository has no pull request #${number}.`);
    },
    openPullRequests: async () => ({ open: [], tag: null, paceSeconds: 0 }),
    setStatus: async () => {},
  };
}

function refused(code: ErrorCode, detail: string): DeployError {
  return new DeployError(code, detail, { retry: false });
}

/**
 * Returns what runs work of which git or the file system may do later what they do not do now. The error has what the
 * operator can mend, without the folder's place.
 */
function failureOf(root: string) {
  return async <T>(code: ErrorCode, work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (cause) {
      if (cause instanceof DeployError) throw cause;
      const why = cause instanceof OperatorError ? `: ${cause.message.replaceAll(`${root}/`, '')}` : '.';
      throw new DeployError(code, `The repository cannot be read now${why}`, { retry: true, cause });
    }
  };
}

/**
 * Starts the command that prints the gzip tarball of a commit, with everything in one folder. It uses the lowest
 * compression level, because here time matters more than size (52 MB of modules: 0.4 s and 9.1 MB at level 1, 1.1 s and
 * 7.0 MB at level 6).
 */
function archiveOf(
  { git, folder }: BareRepository,
  { owner, name, sha }: RepositoryRef & { readonly sha: string },
): ChildProcessWithoutNullStreams {
  return git.start(['-C', folder, 'archive', '--format=tar.gz', '-1', `--prefix=${owner}-${name}-${sha}/`, sha]);
}

/** Yields the output of a command. It is taken at once: what nobody reads when a command ends is lost. */
function outputOf(child: ChildProcessWithoutNullStreams, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  const output = new PassThrough();
  child.stdout.pipe(output, { end: false });
  child.stdin.on('error', () => {}).end();
  child.stderr.resume();
  const failed = () => void output.destroy(new Error('git archive has failed'));
  once(child, 'close').then(([code]) => (code === 0 ? output.end() : failed()), failed);
  const stop = () => void output.destroy(new Error('it was given up', { cause: signal.reason }));
  output
    .on('error', () => {})
    .once('close', () => {
      child.kill();
      signal.removeEventListener('abort', stop);
    });
  if (signal.aborted) stop();
  else signal.addEventListener('abort', stop);
  return chunksOf(output);
}

async function* chunksOf(output: PassThrough): AsyncGenerator<Uint8Array> {
  try {
    yield* output;
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new DeployError(NO_TARBALL, `The tarball could not be read: ${why}.`, { retry: true, cause });
  }
}
