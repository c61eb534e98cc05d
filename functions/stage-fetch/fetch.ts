import { type Entry, tarballKey } from '../core/entry/entry.ts';
import { MAX_MANIFEST_BYTES } from '../core/entry/manifest.ts';
import { isOnBranch, type OnBranch, sourceOf } from '../core/entry/track.ts';
import { DeployError, unlessRefused } from '../core/errors.ts';
import type { StageWork } from '../core/pipeline/stage-work.ts';
import { withHostCause } from '../core/pipeline/unknown-commit.ts';
import type { HostToken, RepositoryHost } from '../core/ports/repository-host.ts';
import type { TarballStore } from '../core/ports/stages.ts';
import { inspected } from '../core/tarball/inspect.ts';
import { TARBALL_LIMITS } from '../core/tarball/limits.ts';

interface FetchPorts {
  readonly host: (name: string) => RepositoryHost;
  readonly token: (user: string, host: string) => Promise<HostToken>;
  readonly tarballs: TarballStore;
}

/**
 * Returns the work of the stage `fetch`: it streams the tarball of exactly the entry's commit from the repository host
 * to the store, and inspects it on the way. A refused tarball leaves nothing in the store.
 */
export function fetchTarball({ host, token, tarballs }: FetchPorts): StageWork {
  return async (entry, signal) => {
    if (!isOnBranch(entry)) throw new Error('Only an entry with a commit is fetched.');
    const commit = sourceOf(entry);
    const stop = new AbortController();
    signal?.addEventListener('abort', () => stop.abort(signal.reason), { once: true });
    try {
      const source = await host(commit.host).tarball(commit, await token(entry.user, commit.host), stop.signal);
      const { body, result } = inspected(source, TARBALL_LIMITS);
      await tarballs.put(tarballKey(entry), body);
      const { bytes, sha256, entries } = await result;
      return {
        kind: 'done',
        transition: { changes: { tarball: { key: tarballKey(entry), bytes, sha256 } } },
        detail: `${bytes} bytes, ${entries} entries, sha256 ${sha256}`,
      };
    } catch (error) {
      throw error instanceof DeployError ? await failureOf(entry, error, { host, token }) : error;
    } finally {
      stop.abort();
    }
  };
}

/** Returns the error of a download. A commit that the host knows, of which it has no tarball, is not waited for. */
async function failureOf(
  entry: Entry & OnBranch,
  error: DeployError,
  access: Pick<FetchPorts, 'host' | 'token'>,
): Promise<DeployError> {
  if (error.host !== 'unknown') return error;
  const commit = sourceOf(entry);
  const token = await access.token(entry.user, commit.host);
  const file = access.host(commit.host).file(commit, 'package.json', token, MAX_MANIFEST_BYTES);
  const isKnown = await unlessRefused(
    file.then(() => true),
    false,
  );
  if (!isKnown) return withHostCause(entry, error, access);
  return new DeployError(error.code, error.detail, { retry: false, cause: error });
}
