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

/** Paths of commits on the hosts, below the repository's page; Gitea and Forgejo have GitHub's. */
const COMMIT_PATHS: ReadonlyArray<readonly [RegExp, string]> = [
  [/gitlab/i, '/-/commit/'],
  [/bitbucket/i, '/commits/'],
];

/** Returns the address of the commit's page at its host; null when there is none, as on the embedded host. */
export function commitUrl(entry: Entry): string | null {
  const repository = entry.doc?.repository;
  const page = safeUrl(repository?.url);
  const sha = shaOf(entry);
  if (!page || !sha || !repository || isLoopback(page)) return null;
  const [, path] = COMMIT_PATHS.find(([kind]) => kind.test(repository.host)) ?? [null, '/commit/'];
  return `${page.replace(/(?<!\/)\/+$/, '')}${path}${sha}`;
}
