import * as v from 'valibot';
import type { CommitRef } from '../../../core/delivery.ts';
import { DeployError, type ErrorCode } from '../../../core/errors.ts';
import type { Comparison, HostToken, RepositoryHost } from '../../../core/ports/repository-host.ts';
import { oneLine } from '../../../core/text.ts';
import { readJson } from '../body.ts';
import { faultOf, isCommitId } from '../coordinates.ts';
import { type Exchange, exchangeWithin, type Timeouts, usualTimeouts } from '../exchange.ts';
import { type Attempt, refusal } from '../failures.ts';
import { fileReader } from '../files.ts';
import { reachOf } from '../reach.ts';
import { followRedirects } from '../redirects.ts';
import { type Api, githubApi } from '../rest.ts';
import { tarballStream } from '../tarball.ts';
import { pairWith } from './pairing.ts';

export interface GithubOptions {
  /** The configured host's name, as in `RepositoryRef.host`. */
  readonly name: string;
  /** `https://api.github.com`, or `https://HOST/api/v3` for Enterprise. */
  readonly api: string;
  /** `https://github.com`. */
  readonly web: string;
  /** GitHub refuses calls without one. */
  readonly userAgent: string;
  /** See `ReachOptions`. */
  readonly downloadHosts?: readonly string[] | undefined;
  readonly privateNetwork?: boolean | undefined;
  readonly timeouts?: Partial<Timeouts> | undefined;
  /** Sends one request without following redirects; over the network unless a test says otherwise. */
  readonly exchange?: Exchange | undefined;
}

/** GitHub and GitHub Enterprise Server. See `RepositoryHost` for the codes. */
export function github(options: GithubOptions): RepositoryHost {
  const reach = reachOf(options);
  const send = options.exchange ?? exchangeWithin(reach, { ...usualTimeouts, ...options.timeouts });
  const api = githubApi(options.api, options.userAgent, followRedirects(send, reach));
  const host = new URL(options.web).host;
  const attempt = (code: ErrorCode, object: string, commit: CommitRef, token: HostToken): Attempt => {
    const fault = faultOf(commit);
    if (fault !== null) throw new DeployError(code, fault, { retry: false });
    const what = `${object} of ${commit.owner}/${commit.name} at ${commit.sha.slice(0, 12)}`;
    return { code, what, host, authorized: token !== null };
  };
  const readFile = fileReader(api, ({ commit, path, token }) =>
    attempt('deploy:repohost:no_pkg_json', path, commit, token),
  );
  return {
    file: (commit, path, token, maxBytes) => readFile({ commit, path, token, maxBytes }),
    async tarball(commit, token, signal) {
      const trying = attempt('deploy:repohost:download_tarball', 'the tarball', commit, token);
      const answer = await api({ path: `${repository(commit)}/tarball/${commit.sha}`, token, signal }, trying);
      if (answer.status !== 200) throw await refusal(trying, answer);
      return tarballStream(answer, trying, signal);
    },
    async setStatus(commit, { state, targetUrl, description, context }, token) {
      const trying = attempt('request:failed', 'a new commit status', commit, token);
      if (token === null) throw new DeployError(trying.code, statusNeedsToken, { retry: false });
      const json = { state, target_url: targetUrl, description: oneLine(description, 140) ?? '', context };
      const path = `${repository(commit)}/statuses/${commit.sha}`;
      const answer = await api({ method: 'POST', path, token, json }, trying);
      if (answer.status !== 201) throw await refusal(trying, answer);
      answer.discard();
    },
    async compare(base, head, token) {
      const trying = attempt('deploy:repohost:no_pkg_json', 'the history', base, token);
      if (!isCommitId(head)) throw new DeployError(trying.code, 'The other commit is no commit id.', { retry: false });
      return compareCommits(api, { base, head, token, trying });
    },
    pair: (login, secret) => pairWith(api, host, login, secret),
  };
}

const statusNeedsToken = 'A commit status can only be set with a token: pair one with POST /1/auth/repohost.';
const Compared = v.object({ status: v.picklist(['ahead', 'behind', 'identical', 'diverged']) });

interface CompareCall {
  readonly base: CommitRef;
  readonly head: string;
  readonly token: HostToken;
  readonly trying: Attempt;
}

async function compareCommits(api: Api, { base, head, token, trying }: CompareCall): Promise<Comparison> {
  // Only page 1 lists the changed files with their patches, megabytes of them; nothing but `status` is needed
  // (https://docs.github.com/rest/commits/commits#compare-two-commits).
  const path = `${repository(base)}/compare/${base.sha}...${head}?per_page=1&page=2`;
  const answer = await api({ path, token }, trying);
  if (answer.status !== 200) throw await refusal(trying, answer);
  const compared = v.safeParse(Compared, await readJson(answer));
  if (compared.success) return compared.output.status;
  throw new DeployError(trying.code, `The answer of ${trying.host} could not be understood.`, { retry: true });
}

function repository({ owner, name }: CommitRef): string {
  return `repos/${owner}/${name}`;
}
