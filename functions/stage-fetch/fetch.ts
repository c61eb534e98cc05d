import type { Entry } from '../core/entry/entry.ts';
import type { StageWork } from '../core/pipeline/stage-work.ts';
import type { HostToken, RepositoryHost } from '../core/ports/repository-host.ts';
import type { TarballStore } from '../core/ports/tarball-store.ts';
import { inspected } from '../core/tarball/inspect.ts';
import { TARBALL_LIMITS } from '../core/tarball/limits.ts';

/** What fetching works with. */
export interface FetchPorts {
  readonly host: (name: string) => RepositoryHost;
  readonly token: (user: string, host: string) => Promise<HostToken>;
  readonly tarballs: TarballStore;
}

/**
 * The tarball of exactly the entry's commit, from the repository host to the store in one pass: counted, hashed and
 * inspected while it flows, and unchanged. What is refused leaves nothing in the store.
 */
export function fetchTarball({ host, token, tarballs }: FetchPorts): StageWork {
  return async (entry) => {
    const { repository, sha } = entry;
    if (!repository || !sha) throw new Error('Only an entry with a commit comes here.');
    const commit = { host: repository.host, owner: repository.owner, name: repository.name, sha };
    const stop = new AbortController();
    try {
      const source = await host(repository.host).tarball(commit, await token(entry.user, repository.host), stop.signal);
      const { body, result } = inspected(source, TARBALL_LIMITS);
      await tarballs.put(tarballKey(entry), body);
      const { bytes, sha256, entries } = await result;
      return {
        kind: 'done',
        transition: { changes: { tarball: { key: tarballKey(entry), bytes, sha256 } } },
        detail: `${bytes} bytes, ${entries} entries, sha256 ${sha256}`,
      };
    } finally {
      stop.abort();
    }
  };
}

/** Always the same for an entry, so that a second run replaces what the first one left. */
function tarballKey({ user, number, sha }: Entry): string {
  return `${encodeURIComponent(user)}/${number}/${sha}.tar.gz`;
}
