import * as v from 'valibot';
import { DeployError, type ErrorCode } from '../../core/errors.ts';
import { type CommitRef, isCommitId, type RepositoryRef } from '../../core/payload/delivery.ts';
import type { Host, HostedRepository, HostToken } from '../../core/ports/repository-host.ts';
import { oneLine } from '../../core/text.ts';
import { faultOf, NO_WHOLE_ID } from './coordinates.ts';
import type { Dialect } from './dialect.ts';
import { breakdown, notUnderstood, type RequestContext } from './failures.ts';
import { idOrNone, textOrNone } from './fields.ts';
import { fileReader, ofVisible } from './files.ts';
import { addressPolicy, RefusedAddress } from './http/address-policy.ts';
import {
  createHttpClient,
  type HttpClient,
  type HttpResponse,
  type Timeouts,
  usualTimeouts,
} from './http/http-client.ts';
import { followRedirects } from './http/redirects.ts';
import { openPullRequests, pullRequestState } from './pull-request.ts';
import { type Api, type RestRequest, restApi } from './rest.ts';

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
export function restHost(options: HostOptions, dialect: Dialect): Host {
  const policy = addressPolicy(options);
  const send = options.httpClient ?? createHttpClient(policy, { ...usualTimeouts, ...options.timeouts });
  const httpClient = followRedirects(send, policy);
  const rest = { ...dialect, base: options.api, userAgent: options.userAgent, httpClient };
  const place = { host: new URL(options.web).host, pairAt: `/1/auth/${options.name}` };
  const apiFor = (code: ErrorCode, object: string, commit: CommitRef, token: HostToken): Api => {
    const fault = faultOf(commit, dialect.nestedOwners);
    if (fault !== null) throw new DeployError(code, fault, { retry: false });
    const what = `${object} of ${commit.owner}/${commit.name} at ${commit.sha.slice(0, 12)}`;
    return restApi(rest, { ...place, code, what, authorized: token !== null }, token);
  };
  const apiAt = (object: string, repository: RepositoryRef, token: HostToken): Api =>
    apiFor('deploy:repohost:no_pkg_json', object, { ...repository, sha: ANY_COMMIT }, token).with({
      what: `${object} of ${repository.owner}/${repository.name}`,
    });
  const readFile = fileReader(dialect);
  return {
    file: async (commit, path, token, maxBytes) =>
      readFile(apiFor('deploy:repohost:no_pkg_json', path, commit, token), { commit, path, token, maxBytes }),
    async tarball(commit, token, signal) {
      const api = apiFor('deploy:repohost:download_tarball', 'the tarball', commit, token);
      const requests = dialect.tarballRequests(commit, token).map((request) => ({ ...request, signal }));
      return tarballStream(await firstAllowed(api, requests), api.purpose, signal);
    },
    async setStatus(commit, status, token) {
      const api = apiFor('request:failed', 'a new commit status', commit, token);
      if (token === null) throw new DeployError(api.purpose.code, statusNeedsToken(place), { retry: false });
      await dialect.setStatus(api, commit, { ...status, description: oneLine(status.description, 140) ?? '' });
    },
    async compare(base, head, token) {
      const api = apiFor('deploy:repohost:no_pkg_json', 'the history', base, token);
      if (isCommitId(head)) return dialect.compare(api, base, head);
      throw new DeployError(api.purpose.code, 'The other commit is not a commit id.', { retry: false });
    },
    async wholeCommit(repository, digits, token) {
      const api = apiAt(`the commit ${digits}`, repository, token);
      if (!dialect.commitSchema || !/^[0-9a-f]{7,64}$/.test(digits)) {
        throw new DeployError(api.purpose.code, NO_WHOLE_ID, { retry: false });
      }
      const sha = await api.read(dialect.commitSchema, dialect.commitRequest({ ...repository, sha: digits }));
      if (sha.startsWith(digits)) return sha;
      throw notUnderstood(api.purpose);
    },
    async tip(repository, branch, token) {
      const api = apiAt(`the branch ${branch}`, repository, token);
      const { path, schema } = dialect.branch(repository, branch);
      const response = await ofVisible(api, { path }, dialect.repositoryPath(repository));
      if (response === null) return null;
      const { name, ...tip } = await api.parse(schema, response);
      // The request for a renamed branch may be redirected to its new name, which was not requested.
      return name === branch ? tip : null;
    },
    async repository(repository, token) {
      const api = apiAt('the description', repository, token);
      return api.read(hostedRepository, { path: dialect.repositoryPath(repository) });
    },
    async pullRequestState(repository, pullRequest, token) {
      const api = apiAt(`the pull request ${pullRequest}`, repository, token);
      return pullRequestState(api, dialect.pullRequest(repository, pullRequest), dialect.repositoryPath(repository));
    },
    async openPullRequests(repository, token, tag) {
      const api = apiAt('the open pull requests', repository, token);
      return openPullRequests(api, dialect.pullRequests(repository), tag);
    },
    pair: async (login, secret) =>
      dialect.pair(restApi(rest, { ...place, ...pairingPurpose }, secret), { login, secret }),
  };
}

const ANY_COMMIT = '0'.repeat(40);

const pairingPurpose = {
  code: 'auth:repohost:github_pairing_failed',
  what: 'the owner of the token',
  authorized: true,
} as const;

async function firstAllowed(api: Api, [request, ...others]: readonly RestRequest[]): Promise<HttpResponse> {
  if (!request) throw new Error('A dialect has at least one request for the tarball.');
  const response = await api.send(request).catch((error: unknown) => {
    // Web pages may redirect unknown credentials to a login page on another host, which is not called.
    if (others.length > 0 && error instanceof DeployError && error.cause instanceof RefusedAddress) return null;
    throw error;
  });
  if (response?.status === 200) return response;
  const isLogin = response === null || [401, 403, 404].includes(response.status);
  if (response && (!isLogin || others.length === 0)) throw await api.refusal(response);
  response?.discard();
  return firstAllowed(api, others);
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
    default_branch: textOrNone,
    private: v.nullish(v.boolean()),
    html_url: textOrNone,
    // GitLab, where `internal` is for everybody who has logged in.
    visibility: textOrNone,
    web_url: textOrNone,
    // Bitbucket.
    mainbranch: v.nullish(v.object({ name: v.string() })),
    is_private: v.nullish(v.boolean()),
    links: link,
    // Bitbucket has an uuid in place of an id.
    id: idOrNone,
    uuid: idOrNone,
  }),
  v.transform((said): HostedRepository => {
    const isHidden = said.visibility === 'private' || said.visibility === 'internal';
    const id = said.id ?? said.uuid ?? null;
    return {
      ...(id !== null && { id: `${id}` }),
      defaultBranch: said.default_branch || said.mainbranch?.name || null,
      private: said.private ?? said.is_private ?? isHidden,
      url: said.html_url ?? said.web_url ?? said.links?.html?.href ?? null,
    };
  }),
);
