import * as v from 'valibot';
import { DeployError, type ErrorCode } from '../../core/errors.ts';
import { type CommitRef, isCommitId, type RepositoryRef } from '../../core/payload/delivery.ts';
import type { HostedRepository, HostToken, RepositoryHost } from '../../core/ports/repository-host.ts';
import { oneLine } from '../../core/text.ts';
import { textOrNone } from './branch-tip.ts';
import { writeComment } from './comments.ts';
import { faultOf, NO_WHOLE_ID } from './coordinates.ts';
import type { Dialect } from './dialect.ts';
import { breakdown, notUnderstood, type RequestContext, refusal } from './failures.ts';
import { fileReader } from './files.ts';
import { addressPolicy, RefusedAddress } from './http/address-policy.ts';
import {
  createHttpClient,
  type HttpClient,
  type HttpResponse,
  type Timeouts,
  usualTimeouts,
} from './http/http-client.ts';
import { followRedirects } from './http/redirects.ts';
import { parsed } from './pairing.ts';
import { openPullRequests, pullRequestState } from './pull-request.ts';
import { type Rest, type RestRequest, restApi } from './rest.ts';

export interface HostOptions {
  /** The configured host's name, as in `RepositoryRef.host`. */
  readonly name: string;
  /** Base URL of the API: `https://api.github.com`, `https://HOST/api/v3`, `https://gitlab.com/api/v4`, … */
  readonly api: string;
  /** URL of the web pages: `https://github.com`. */
  readonly web: string;
  /** GitHub rejects requests without one. */
  readonly userAgent: string;
  /** See `AddressPolicyOptions`. */
  readonly downloadHosts?: readonly string[] | undefined;
  readonly privateNetwork?: boolean | undefined;
  readonly timeouts?: Partial<Timeouts> | undefined;
  /** Sends one request without following redirects; `createHttpClient` by default. */
  readonly httpClient?: HttpClient | undefined;
}

/** Returns a repository host with a REST API. See `RepositoryHost` for the error codes. */
export function restHost(options: HostOptions, dialect: Dialect): RepositoryHost {
  const policy = addressPolicy(options);
  const send = options.httpClient ?? createHttpClient(policy, { ...usualTimeouts, ...options.timeouts });
  const httpClient = followRedirects(send, policy);
  const rest = restApi({ ...dialect, base: options.api, userAgent: options.userAgent, httpClient });
  const place = { host: new URL(options.web).host, pairAt: `/1/auth/${options.name}` };
  const contextFor = (code: ErrorCode, object: string, commit: CommitRef, token: HostToken): RequestContext => {
    const fault = faultOf(commit, dialect.nestedOwners);
    if (fault !== null) throw new DeployError(code, fault, { retry: false });
    const what = `${object} of ${commit.owner}/${commit.name} at ${commit.sha.slice(0, 12)}`;
    return { ...place, code, what, authorized: token !== null };
  };
  const contextAt = (code: ErrorCode, object: string, repository: RepositoryRef, token: HostToken): RequestContext => {
    const { what: _, ...context } = contextFor(code, object, { ...repository, sha: ANY_COMMIT }, token);
    return { ...context, what: `${object} of ${repository.owner}/${repository.name}` };
  };
  const readFile = fileReader(rest, dialect, ({ commit, path, token }) =>
    contextFor('deploy:repohost:no_pkg_json', path, commit, token),
  );
  return {
    file: (commit, path, token, maxBytes) => readFile({ commit, path, token, maxBytes }),
    async tarball(commit, token, signal) {
      const requestContext = contextFor('deploy:repohost:download_tarball', 'the tarball', commit, token);
      const requests = dialect.tarballRequests(commit, token).map((request) => ({ ...request, signal }));
      return tarballStream(await firstAllowed(rest, requests, requestContext), requestContext, signal);
    },
    async setStatus(commit, status, token) {
      const requestContext = contextFor('request:failed', 'a new commit status', commit, token);
      if (token === null) throw new DeployError(requestContext.code, statusNeedsToken(place), { retry: false });
      const described = { ...status, description: oneLine(status.description, 140) ?? '' };
      await dialect.setStatus(rest, { commit, status: described, token }, requestContext);
    },
    async compare(base, head, token) {
      const requestContext = contextFor('deploy:repohost:no_pkg_json', 'the history', base, token);
      if (!isCommitId(head))
        throw new DeployError(requestContext.code, 'The other commit is not a commit id.', { retry: false });
      return dialect.compare(rest, { base, head, token }, requestContext);
    },
    async wholeCommit(repository, digits, token) {
      const requestContext = contextAt('deploy:repohost:no_pkg_json', `the commit ${digits}`, repository, token);
      if (!dialect.commitSchema || !/^[0-9a-f]{7,64}$/.test(digits)) {
        throw new DeployError(requestContext.code, NO_WHOLE_ID, { retry: false });
      }
      const response = await rest({ ...dialect.commitRequest({ ...repository, sha: digits }), token }, requestContext);
      if (response.status !== 200) throw await refusal(requestContext, response);
      const sha = await parsed(dialect.commitSchema, response, requestContext);
      if (sha.startsWith(digits)) return sha;
      throw notUnderstood(requestContext);
    },
    tip: async (repository, branch, token) => {
      const requestContext = contextAt('deploy:repohost:no_pkg_json', `the branch ${branch}`, repository, token);
      return dialect.tip(rest, { repository, branch, token }, requestContext);
    },
    repository: async (repository, token) => {
      const requestContext = contextAt('deploy:repohost:no_pkg_json', 'the description', repository, token);
      const response = await rest({ path: dialect.repositoryPath(repository), token }, requestContext);
      return parsed(hostedRepository, response, requestContext);
    },
    async pullRequestState(repository, pullRequest, token) {
      const object = `the pull request ${pullRequest}`;
      const requestContext = contextAt('deploy:repohost:no_pkg_json', object, repository, token);
      const repositoryPath = dialect.repositoryPath(repository);
      const calls = { ...dialect.pullRequest(repository, pullRequest), repositoryPath, token };
      return pullRequestState(rest, calls, requestContext);
    },
    async openPullRequests(repository, token, tag) {
      const requestContext = contextAt('deploy:repohost:no_pkg_json', 'the open pull requests', repository, token);
      return openPullRequests(rest, { ...dialect.pullRequests(repository), token, tag }, requestContext);
    },
    setDeployment: async (repository, deployment, token) => {
      const requestContext = contextAt('request:failed', 'the deployments', repository, token);
      await dialect.setDeployment?.(rest, { repository, deployment, token }, requestContext);
    },
    setComment: async (repository, comment, token) => {
      const object = `the comments at the pull request ${comment.pullRequest}`;
      const requestContext = contextAt('request:failed', object, repository, token);
      const calls = dialect.comments?.(repository, comment.pullRequest);
      if (calls) await writeComment(rest, { calls, comment, token }, requestContext);
    },
    pair: (login, secret) => dialect.pair(rest, { login, secret }, { ...place, ...pairingContext }),
  };
}

const ANY_COMMIT = '0'.repeat(40);

const pairingContext = {
  code: 'auth:repohost:github_pairing_failed',
  what: 'the owner of the token',
  authorized: true,
} as const;

async function firstAllowed(
  rest: Rest,
  requests: readonly RestRequest[],
  requestContext: RequestContext,
): Promise<HttpResponse> {
  const [request, ...others] = requests;
  if (!request) throw new Error('A dialect has at least one request for the tarball.');
  const response = await rest(request, requestContext).catch((error: unknown) => {
    // Web pages may redirect unknown credentials to a login page on another host, which is not called.
    if (others.length > 0 && error instanceof DeployError && error.cause instanceof RefusedAddress) return null;
    throw error;
  });
  if (response?.status === 200) return response;
  const isLogin = response === null || [401, 403, 404].includes(response.status);
  if (response && (!isLogin || others.length === 0)) throw await refusal(requestContext, response);
  response?.discard();
  return firstAllowed(rest, others, requestContext);
}

function statusNeedsToken({ pairAt }: { pairAt: string }): string {
  return `A commit status can only be set with a token: pair one with POST ${pairAt}.`;
}

/** Yields the body of a response. Failures while reading become errors of the request's context. */
async function* tarballStream(
  response: HttpResponse,
  requestContext: RequestContext,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  try {
    for await (const chunk of response.body) {
      // A short body may have arrived completely before the abort, and reading it would not fail.
      signal.throwIfAborted();
      yield chunk;
    }
    signal.throwIfAborted();
  } catch (cause) {
    throw breakdown(requestContext, signal.aborted ? signal.reason : cause);
  }
}

const link = v.nullish(v.object({ html: v.nullish(v.object({ href: v.string() })) }));

/** What a host says of a repository, whose fields have other names at each. */
const hostedRepository = v.pipe(
  v.object({
    // GitHub, Gitea and Forgejo; the first one of GitLab, too.
    ...{ default_branch: textOrNone, private: v.nullish(v.boolean()), html_url: textOrNone },
    // GitLab, where `internal` is for everybody who has logged in.
    ...{ visibility: textOrNone, web_url: textOrNone },
    // Bitbucket.
    ...{ mainbranch: v.nullish(v.object({ name: v.string() })), is_private: v.nullish(v.boolean()), links: link },
  }),
  v.transform((said): HostedRepository => {
    const isHidden = said.visibility === 'private' || said.visibility === 'internal';
    return {
      defaultBranch: said.default_branch || said.mainbranch?.name || null,
      private: said.private ?? said.is_private ?? isHidden,
      url: said.html_url ?? said.web_url ?? said.links?.html?.href ?? null,
    };
  }),
);
