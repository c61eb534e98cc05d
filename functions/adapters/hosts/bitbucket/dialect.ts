import { createHash } from 'node:crypto';
import * as v from 'valibot';
import { basicHeader } from '../../../core/basic-auth.ts';
import type { CommitRef, RepositoryRef } from '../../../core/payload/delivery.ts';
import type { CommitStatus, Comparison, HostToken } from '../../../core/ports/repository-host.ts';
import { encodePath } from '../coordinates.ts';
import { compareHistories, type Dialect } from '../dialect.ts';
import { commitId, described, pullNumber, textOrNone } from '../fields.ts';
import { LISTED } from '../pull-request.ts';
import type { Api, RestRequest } from '../rest.ts';
import { pairWith } from './pairing.ts';

/** Returns the calls of its API (https://developer.atlassian.com/cloud/bitbucket/rest/intro/). */
export function dialectAt(web: string): Dialect {
  return {
    headers: { accept: 'application/json' },
    login: headersOf,
    fileRequest: (commit, path) => ({
      path: `${repository(commit)}/src/${commit.sha}/${encodePath(path)}`,
      accept: '*/*',
    }),
    commitRequest: (commit) => ({ path: `${repository(commit)}/commit/${commit.sha}` }),
    tarballRequests: (commit, token) => tarballRequests(web, commit, token),
    // https://developer.atlassian.com/cloud/bitbucket/rest/api-group-commit-statuses/
    setStatus: (api, commit, { state, targetUrl, description, context }) => {
      const json = { key: keyOf(context), state: states[state], url: targetUrl, name: context, description };
      return api.write({ method: 'POST', path: `${repository(commit)}/commit/${commit.sha}/statuses/build`, json });
    },
    compare,
    commitSchema: v.pipe(
      v.object({ hash: commitId }),
      v.transform(({ hash }) => hash),
    ),
    repositoryPath: repository,
    // https://developer.atlassian.com/cloud/bitbucket/rest/api-group-refs/
    branch: (where, branch) => ({
      path: `${repository(where)}/refs/branches/${encodePath(branch)}`,
      schema: Branch,
    }),
    pullRequest: (where, number) => {
      const fields = 'state,source.commit.hash';
      return { path: `${repository(where)}/pullrequests/${number}?fields=${fields}`, open: ['OPEN'] };
    },
    // https://developer.atlassian.com/cloud/bitbucket/rest/api-group-pullrequests/
    pullRequests: (where) => ({
      path: `${repository(where)}/pullrequests?state=OPEN&sort=-updated_on&pagelen=${LISTED}&fields=${FIELDS}`,
      schema: PullRequests,
    }),
    pair: pairWith,
  };
}

const states: Readonly<Record<CommitStatus['state'], string>> = {
  pending: 'INPROGRESS',
  success: 'SUCCESSFUL',
  failure: 'FAILED',
  error: 'STOPPED',
};
const MAX_KEY_LENGTH = 40;
const Branch = v.pipe(
  v.object({
    name: v.string(),
    target: v.object({ hash: commitId, message: textOrNone, author: v.nullish(v.object({ raw: textOrNone })) }),
  }),
  v.transform(({ name, target: { hash, message, author } }) => ({
    name,
    sha: hash,
    message: message ?? null,
    // `Octo Cat <octo@example.com>`: the address is not shown.
    author: author?.raw?.split('<', 1)[0]?.trimEnd() ?? null,
  })),
);
/** The fields to request of a pull request, which has kilobytes of others. */
const FIELDS = [
  'id',
  'title',
  'draft',
  'updated_on',
  'author.display_name',
  'source',
  'destination.repository.full_name',
]
  .map((field) => `values.${field}`)
  .join();
const firstDigits = v.pipe(v.string(), v.regex(/^[0-9a-f]{12,64}$/));
const place = v.nullish(v.object({ full_name: textOrNone }));
const PullRequests = v.pipe(
  v.object({
    values: v.array(
      v.object({
        id: pullNumber,
        title: textOrNone,
        draft: v.nullish(v.boolean()),
        updated_on: textOrNone,
        author: v.nullish(v.object({ display_name: textOrNone })),
        source: v.object({
          branch: v.object({ name: v.string() }),
          // The list has the first 12 digits of a commit.
          commit: v.nullish(v.object({ hash: firstDigits })),
          repository: place,
        }),
        destination: v.object({ repository: place }),
      }),
    ),
  }),
  v.transform(({ values }) =>
    values.map(({ id, title, draft, updated_on, author, source, destination }) => ({
      number: id,
      sha: source.commit?.hash ?? null,
      draft: draft ?? false,
      ...described({ branch: source.branch.name, title, author: author?.display_name, updatedAt: updated_on }),
      ...forkOf(source.repository?.full_name ?? null, destination.repository?.full_name ?? null),
    })),
  ),
);

/** A repository that was deleted is one of a stranger too. */
function forkOf(from: string | null, into: string | null): { readonly fromFork: boolean; readonly source?: string } {
  const fromFork = from === null || from !== into;
  return { fromFork, ...(fromFork && from !== null && { source: from }) };
}

const Page = v.object({ values: v.array(v.unknown()) });

/** The API has no archives. The web pages do, and accept the credentials that git uses, or those of the API. */
function tarballRequests(
  web: string,
  { owner, name, sha }: CommitRef,
  token: HostToken,
): readonly [RestRequest, ...RestRequest[]] {
  const request = { path: `${web}/${owner}/${name}/get/${sha}.tar.gz`, accept: '*/*' };
  if (token === null) return [request];
  // Without the e-mail address.
  const secret = token.slice(token.indexOf(':') + 1);
  return [{ ...request, headers: headersOf(`x-bitbucket-api-token-auth:${secret}`) }, request];
}

/** Returns the key that identifies a status, which is shorter than the names of applications may be. */
function keyOf(context: string): string {
  if (context.length <= MAX_KEY_LENGTH) return context;
  const digest = createHash('sha256').update(context).digest('hex').slice(0, 10);
  return `${context.slice(0, MAX_KEY_LENGTH - digest.length - 1)}-${digest}`;
}

/** Compares by listing the commits of one history without the other: the API does not count commits. */
function compare(api: Api, base: CommitRef, head: string): Promise<Comparison> {
  return compareHistories(base.sha, head, async (commit, other) => {
    const path = `${repository(base)}/commits/?include=${commit}&exclude=${other}&pagelen=1&fields=values.hash`;
    return (await api.read(Page, { path })).values.length > 0;
  });
}

function repository({ owner, name }: RepositoryRef): string {
  return `repositories/${owner}/${name}`;
}

/**
 * Returns the headers that authenticate. An API token is stored with its e-mail address, `email:token`, and sent as
 * Basic; an access token of a repository, project or workspace has none and is sent as Bearer.
 *
 * https://support.atlassian.com/bitbucket-cloud/docs/using-api-tokens/
 */
function headersOf(token: string): Readonly<Record<string, string>> {
  const isPair = token.includes(':');
  return { authorization: isPair ? basicHeader(token) : `Bearer ${token}` };
}
