import { createHash } from 'node:crypto';
import * as v from 'valibot';
import type { CommitRef } from '../../../core/payload/delivery.ts';
import type { CommitStatus, Comparison, HostToken } from '../../../core/ports/repository-host.ts';
import { compareByNews } from '../comparison.ts';
import { encodePath } from '../coordinates.ts';
import { defineHost } from '../define-host.ts';
import { type CompareCall, type Dialect, post } from '../dialect.ts';
import { type Attempt, refusal } from '../failures.ts';
import { parsed } from '../pairing.ts';
import type { Rest, RestCall } from '../rest.ts';
import { pairWith } from './pairing.ts';
import { headersOf, secretOf } from './token.ts';

// https://developer.atlassian.com/cloud/bitbucket/rest/intro/
function dialectAt(web: string): Dialect {
  return {
    headers: { accept: 'application/json' },
    login: headersOf,
    fileCall: (commit, path) => ({
      path: `${repository(commit)}/src/${commit.sha}/${encodePath(path)}`,
      accept: '*/*',
    }),
    commitCall: (commit) => ({ path: `${repository(commit)}/commit/${commit.sha}` }),
    tarballCalls: (commit, token) => tarballCalls(web, commit, token),
    // https://developer.atlassian.com/cloud/bitbucket/rest/api-group-commit-statuses/
    async setStatus(rest, { commit, status, token }, attempt) {
      const { targetUrl, description, context } = status;
      const json = { key: keyOf(context), state: states[status.state], url: targetUrl, name: context, description };
      await post(rest, { path: `${repository(commit)}/commit/${commit.sha}/statuses/build`, token, json }, attempt);
    },
    compare,
    pair: pairWith,
  };
}

const states: Readonly<Record<CommitStatus['state'], string>> = {
  pending: 'INPROGRESS',
  success: 'SUCCESSFUL',
  failure: 'FAILED',
  error: 'STOPPED',
};
const longestKey = 40;
const Page = v.object({ values: v.array(v.unknown()) });

/** The API has no archives; the pages do, and take the login that git takes there, or the API's. */
function tarballCalls(
  web: string,
  { owner, name, sha }: CommitRef,
  token: HostToken,
): readonly [RestCall, ...RestCall[]] {
  const call = { path: `${web}/${owner}/${name}/get/${sha}.tar.gz`, accept: '*/*' };
  if (token === null) return [{ ...call, token }];
  return [
    { ...call, token: `x-bitbucket-api-token-auth:${secretOf(token)}` },
    { ...call, token },
  ];
}

/** A key is the status's name to the machine, and shorter than the names of applications may be. */
function keyOf(context: string): string {
  if (context.length <= longestKey) return context;
  const digest = createHash('sha256').update(context).digest('hex').slice(0, 10);
  return `${context.slice(0, longestKey - digest.length - 1)}-${digest}`;
}

/** By what the one history has and the other has not: there is no comparison that counts. */
async function compare(rest: Rest, { base, head, token }: CompareCall, attempt: Attempt): Promise<Comparison> {
  return compareByNews(base.sha, head, async (commit, other) => {
    const path = `${repository(base)}/commits/?include=${commit}&exclude=${other}&pagelen=1&fields=values.hash`;
    const answer = await rest({ path, token }, attempt);
    if (answer.status !== 200) throw await refusal(attempt, answer);
    return (await parsed(Page, answer, attempt)).values.length > 0;
  });
}

function repository({ owner, name }: CommitRef): string {
  return `repositories/${owner}/${name}`;
}

/** Bitbucket Cloud (`https://api.bitbucket.org/2.0`). See `RepositoryHost` for the codes. */
export const bitbucket = defineHost({
  kind: 'bitbucket',
  name: 'Bitbucket Cloud',
  dialect: dialectAt,
  api: 'REST API 2.0',
  calls: {
    status: 'POST repositories/OWNER/NAME/commit/SHA/statuses/build',
    compare: 'GET repositories/OWNER/NAME/commits',
    pairing: 'GET user',
  },
  tested: 'a strict mock of the documented API',
});
