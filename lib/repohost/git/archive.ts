import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { createHmac, randomBytes } from 'node:crypto';
import { sameSecret } from '../../../functions/core/secrets.ts';
import type { RepositoryName } from '../store/folders.ts';
import type { BareRepository } from './git.ts';

/** GitHub's links to tarballs of private repositories are valid for this long, too. */
const LINK_LIFETIME_MS = 5 * 60_000;

/** The commit whose tarball a link downloads. */
interface ArchivedCommit extends RepositoryName {
  readonly sha: string;
}

/** Signed links to tarballs, which need no login. */
export interface ArchiveLinks {
  /** Returns path and query of a link, for the redirect. */
  make(archive: ArchivedCommit): string;
  /** Whether path and query are a link of this process that has not expired. */
  isGenuine(archive: ArchivedCommit, query: URLSearchParams): boolean;
}

export function archiveLinks(now: () => number = Date.now): ArchiveLinks {
  const key = randomBytes(32);
  const sign = ({ owner, name, sha }: ArchivedCommit, expires: string) =>
    createHmac('sha256', key).update(`${owner}/${name}/${sha}/${expires}`).digest('hex');
  return {
    make(archive) {
      const expires = String(now() + LINK_LIFETIME_MS);
      const { owner, name, sha } = archive;
      return `/_codeload/${owner}/${name}/legacy.tar.gz/${sha}?expires=${expires}&token=${sign(archive, expires)}`;
    },
    isGenuine(archive, query) {
      const expires = query.get('expires') ?? '';
      return sameSecret(query.get('token') ?? '', sign(archive, expires)) && Number(expires) > now();
    },
  };
}

/**
 * Starts the command that prints the gzip tarball of a commit, with everything in the folder `root`. It uses the lowest
 * compression level, because on loopback time matters more than size (52 MB of modules: 0.4 s and 9.1 MB at level 1,
 * 1.1 s and 7.0 MB at level 6).
 */
export function startArchive(
  { git, folder }: BareRepository,
  { sha, root }: { readonly sha: string; readonly root: string },
): ChildProcessWithoutNullStreams {
  return git.start(['-C', folder, 'archive', '--format=tar.gz', '-1', `--prefix=${root}/`, sha]);
}
