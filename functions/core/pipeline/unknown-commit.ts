import type { Entry } from '../entry/entry.ts';
import { type OnBranch, sourceOf } from '../entry/track.ts';
import { DeployError } from '../errors.ts';
import type { HostToken, RepositoryHost } from '../ports/repository-host.ts';

interface HostAccess {
  readonly host: (name: string) => Pick<RepositoryHost, 'tip'>;
  readonly token: (user: string, host: string) => Promise<HostToken>;
}

/**
 * Returns the error of a stage, with its cause when the host answered that it does not know the commit. Hosts say the same
 * of a repository that the token may not read, so it is final, and about the token, only if the branch cannot be read
 * either.
 */
export async function withHostCause(
  entry: Entry & OnBranch,
  error: DeployError,
  { host, token }: HostAccess,
): Promise<DeployError> {
  if (error.host !== 'unknown') return error;
  const source = sourceOf(entry);
  try {
    await host(source.host).tip(source, entry.branch, await token(entry.user, source.host));
  } catch (refused) {
    if (refused instanceof DeployError && !refused.retry)
      return new DeployError(error.code, error.detail, { retry: false, cause: refused });
    throw refused;
  }
  const place = `${source.owner}/${source.name}`;
  const detail = `${place} can be read, but ${source.host} does not have its commit ${source.sha.slice(0, 10)}: not yet, or not any more.`;
  return new DeployError(error.code, detail, { retry: false, host: 'unknown', cause: error });
}
