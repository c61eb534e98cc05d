import type { Application } from '../../client/applications.ts';
import { isLoopback } from '../../client/client.ts';
import { type Entry, shaOf } from '../../client/entry.ts';
import { hashOf } from './route.ts';

/** Returns an address when a browser may open it: http or https. Anything else could be a script. */
export function safeUrl(text: string | null | undefined): string | null {
  if (!text || !URL.canParse(text)) return null;
  const url = new URL(text);
  return url.protocol === 'https:' || url.protocol === 'http:' ? url.href : null;
}

/**
 * Returns the badge of an application, as an image and in Markdown, which links to the application's view; null when no
 * repository has deployed it.
 */
export function badgeOf(
  { name, repository, environment }: Application,
  { service, user }: { service: string; user: string },
) {
  if (!repository) return null;
  const badge = environment === undefined ? repository.name : `${repository.name}-${environment}`;
  const image = `${service}/1/badge/${encodeURIComponent(user)}/${encodeURIComponent(badge)}.svg`;
  const markdown = `[![deployment](${image})](${service}/${hashOf({ user, view: 'app', name })})`;
  return { image, markdown };
}

/** Paths of commits and of pull requests on the hosts, below the repository's page. */
type Paths = readonly [host: RegExp, commit: string, pullRequest: string];
const GITHUB: Paths = [/github/i, '/commit/', '/pull/'];
const PATHS: readonly Paths[] = [
  [/gitlab/i, '/-/commit/', '/-/merge_requests/'],
  [/bitbucket/i, '/commits/', '/pull-requests/'],
  [/gitea|forgejo/i, '/commit/', '/pulls/'],
];

/** Returns the address of the commit's page at its host; null when there is none, as on the embedded host. */
export function commitUrl(entry: Entry): string | null {
  const sha = shaOf(entry);
  const host = sha === null ? null : atHost(entry);
  return host && `${host.page}${host.commit}${sha}`;
}

/** Returns the address of the page of the entry's pull request at its host; null when there is none. */
export function pullRequestUrl(entry: Entry): string | null {
  const host = entry.pull_request === undefined ? null : atHost(entry);
  return host && `${host.page}${host.pullRequest}${entry.pull_request}`;
}

function atHost({ doc }: Entry) {
  const { host = '', url } = doc?.repository ?? {};
  const page = safeUrl(url);
  if (!page || isLoopback(page)) return null;
  const [, commit, pullRequest] = PATHS.find(([kind]) => kind.test(host)) ?? GITHUB;
  return { page: page.replace(/(?<!\/)\/+$/, ''), commit, pullRequest };
}
