import { fixture } from '../senders/sender-call.ts';

let builds = 0;

/**
 * Returns the call of a fixture (`passed`, `started`, …) for another commit of the repository at a page,
 * `<host>/<owner>/<name>`, each time with a new build.
 */
export function travisCall(of: string, { page, sha }: { readonly page: string; readonly sha: string }) {
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
    branch: 'main',
    compare_url: `${page}${change}`,
    repository: { ...body.repository, owner_name, name },
  };
  const slug = headers['travis-repo-slug'] && { 'travis-repo-slug': `${owner_name}/${name}` };
  return { headers: { ...headers, ...slug }, body: `payload=${encodeURIComponent(JSON.stringify(payload))}` };
}
