import * as v from 'valibot';
import { DeployError } from '../../core/errors.ts';
import type { PullRequestComment } from '../../core/ports/repository-host.ts';
import { notUnderstood } from './failures.ts';
import type { Api } from './rest.ts';

/** How a host has the comments at a pull request: those of GitHub, GitLab and Gitea differ in this only. */
export interface CommentCalls {
  /** The path of the list of comments, oldest first, and of new ones. */
  readonly path: string;
  /** The query of a page, to which its number is added. */
  readonly pageQuery: string;
  readonly update: { readonly method: 'PATCH' | 'PUT'; readonly path: (id: number) => string };
}

/** GitHub and Gitea: `login`; GitLab: `username`. */
const Person = v.pipe(
  v.object({ login: v.nullish(v.string()), username: v.nullish(v.string()) }),
  v.transform(({ login, username }) => login ?? username ?? null),
);
const Comments = v.array(
  v.pipe(
    v.object({
      id: v.number(),
      body: v.nullish(v.string(), ''),
      // GitHub has none for a user who was deleted.
      user: v.nullish(Person),
      author: v.nullish(Person),
    }),
    v.transform(({ id, body, user, author }) => ({ id, body: body ?? '', author: user ?? author ?? null })),
  ),
);
type Comment = v.InferOutput<typeof Comments>[number];

/** A page may have a hundred comments of 64 KiB, and Gitea lists all in one. */
const MAX_PAGE_BYTES = 16 * 1024 * 1024;
/** GitLab allows 5,000 comments. */
const MAX_PAGES = 50;

/**
 * Sets the one comment of the token's user with the marker: updates it, or makes it when there is none and `creates`.
 * A comment of somebody else with the same marker is left alone.
 */
export async function writeComment(api: Api, calls: CommentCalls, comment: PullRequestComment): Promise<void> {
  const earlier = await ownComment(api, calls, comment);
  if (earlier?.body === comment.body) return;
  const json = { body: comment.body };
  if (earlier) {
    const { method, path } = calls.update;
    const updated = await api.send({ method, path: path(earlier.id), json });
    if (updated.status === 200) return updated.discard();
    // The comment was deleted since it was listed.
    if (updated.status !== 404) throw await api.refusal(updated);
    updated.discard();
  }
  if (!comment.creates) return;
  await api.write({ method: 'POST', path: calls.path, json });
}

/** Who has written a comment is asked only when there is one with the marker. */
async function ownComment(api: Api, calls: CommentCalls, comment: PullRequestComment): Promise<Comment | null> {
  let me: string | null = null;
  for (let page = 1; page <= MAX_PAGES; page += 1) {
    const response = await api.send({ path: `${calls.path}?${calls.pageQuery}&page=${page}` });
    const listed = await api.parse(Comments, response, MAX_PAGE_BYTES);
    const marked = listed.filter(({ body }) => body.startsWith(comment.marker));
    if (marked.length > 0) me ??= await tokenOwner(api);
    const ofToken = marked.find(({ author }) => author !== null && author === me);
    if (ofToken) return ofToken;
    if (!/\brel="?next\b/.test(String(response.headers.link ?? ''))) return null;
  }
  const detail = `The pull request ${comment.pullRequest} has too many comments to look for one.`;
  throw new DeployError(api.purpose.code, detail, { retry: false });
}

async function tokenOwner(api: Api): Promise<string> {
  const name = await api.read(Person, { path: 'user' });
  if (name === null) throw notUnderstood(api.purpose);
  return name;
}
