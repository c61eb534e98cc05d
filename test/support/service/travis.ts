import { fixture } from '../senders/sender-call.ts';

/** The build that a call is about. */
export interface TravisBuild {
  /** Address of the repository's page: `<host>/<owner>/<name>`. */
  readonly page: string;
  readonly sha: string;
  readonly branch?: string;
}

/** A call of Travis CI, ready to be posted. */
export interface TravisCall {
  readonly headers: Record<string, string>;
  readonly body: string;
}

let builds = 0;

/**
 * Returns the call of a fixture (`passed`, `2012-passed`, `failed`, …) for another commit, each time with a new build.
 */
export function travisCall(of: string, { page, sha, branch = 'main' }: TravisBuild): TravisCall {
  // biome-ignore lint/suspicious/noExplicitAny: the body of a fixture.
  const { headers, body }: any = fixture(`travis/${of}`);
  const { pathname } = new URL(page);
  const [, owner_name, name] = pathname.split('/');
  const change = /\/pull\/\d+$/.exec(body.compare_url)?.[0] ?? `/compare/0000000...${sha.slice(0, 7)}`;
  builds += 1;
  const payload = {
    ...body,
    id: builds,
    commit: sha,
    branch,
    compare_url: `${page}${change}`,
    repository: { ...body.repository, owner_name, name },
  };
  const slug = headers['travis-repo-slug'] && { 'travis-repo-slug': `${owner_name}/${name}` };
  return { headers: { ...headers, ...slug }, body: `payload=${encodeURIComponent(JSON.stringify(payload))}` };
}
