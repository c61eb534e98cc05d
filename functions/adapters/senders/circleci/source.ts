import * as v from 'valibot';
import type { BuildResult } from '../../../core/payload/delivery.ts';
import { branchNamed } from '../fields/git.ts';
import { text } from '../fields/read.ts';
import { type LocatedRepository, repositoryAt, repositoryNamed } from '../fields/remote.ts';
import { isTimed } from '../fields/verdict.ts';

// Projects of the GitHub OAuth app and of Bitbucket Cloud have `vcs`; those of GitLab, the GitHub App and Bitbucket
// Data Center have `trigger_parameters` (https://circleci.com/docs/reference/outbound-webhooks-reference/).
const vcs = v.object({
  target_repository_url: text,
  origin_repository_url: text,
  revision: text,
  branch: text,
  tag: text,
  commit: v.nullish(v.object({ subject: text, body: text, author: v.nullish(v.object({ name: text })) })),
});
const git = v.object({
  checkout_sha: text,
  checkout_url: text,
  branch: text,
  ref: text,
  tag: text,
  repo_url: text,
  repo_owner: text,
  repo_name: text,
  commit_message: text,
  commit_title: text,
  commit_author_name: text,
});
// The parameters of the repository host. GitLab's are documented; the GitHub App has the same names where it has them.
const host = v.fallback(
  v.nullish(
    v.object({ web_url: text, repo_url: text, commit_message: text, commit_title: text, commit_author_name: text }),
  ),
  null,
);

/** The part of a webhook that says what a pipeline built. */
export const pipelineFields = v.object({
  trigger: v.fallback(v.nullish(v.object({ type: text })), null),
  vcs: v.nullish(vcs),
  trigger_parameters: v.nullish(
    v.object({
      circleci: v.fallback(v.nullish(v.object({ event_type: text, trigger_type: text })), null),
      git: v.nullish(git),
      gitlab: host,
      github_app: host,
      bitbucket_dc: host,
    }),
  ),
});
type Pipeline = v.InferOutput<typeof pipelineFields>;
type Parameters = NonNullable<Pipeline['trigger_parameters']>;

/** The source of a pipeline, from either of the two payload formats. */
export interface Source extends Pick<BuildResult, 'branch' | 'pullRequest' | 'message' | 'author'> {
  readonly sha: string | null;
  readonly repository: LocatedRepository | null;
  readonly timed: boolean;
}

/** Returns the source of a pipeline; null for fields that the payload does not have. */
export function sourceOf({ trigger, vcs: fields, trigger_parameters: parameters }: Pipeline): Source {
  const { event_type, trigger_type } = parameters?.circleci ?? {};
  const timed = [trigger?.type, trigger_type, event_type].some(isTimed);
  const source = fields?.revision ? fromVcs(fields) : fromParameters(parameters ?? {});
  return { ...source, timed };
}

function fromVcs(fields: v.InferOutput<typeof vcs>): Omit<Source, 'timed'> {
  const { revision, tag, commit, origin_repository_url: origin, target_repository_url: target } = fields;
  return {
    sha: lowerCase(revision),
    // The branch of a pull request from a fork is called `pull/7`.
    branch: tag ? null : branchNamed(fields.branch),
    repository: repositoryAt(target),
    pullRequest: Boolean(origin && target && origin !== target) || /^pull\/\d+$/.test(fields.branch ?? ''),
    message: [commit?.subject, commit?.body].filter(Boolean).join('\n\n'),
    author: commit?.author?.name ?? null,
  };
}

/** Fields that do not apply are empty strings. A GitLab project has no `repo_url` in `git`, only `checkout_url`. */
function fromParameters({ git: fields, circleci, ...hosts }: Partial<Parameters>): Omit<Source, 'timed'> {
  const origin = hosts.gitlab ?? hosts.github_app ?? hosts.bitbucket_dc;
  const isTag = Boolean(fields?.tag) || fields?.ref?.startsWith('refs/tags/') === true;
  const isPullRequest = /^refs\/(?:pull|pull-requests|merge-requests)\//.test(fields?.ref ?? '');
  return {
    sha: lowerCase(fields?.checkout_sha),
    branch: isTag ? null : branchNamed(fields?.branch),
    repository: repositoryOf(fields, origin),
    pullRequest: isPullRequest || /^(?:pull|merge)_?request/.test(circleci?.event_type ?? ''),
    message: fields?.commit_message || origin?.commit_message || fields?.commit_title || origin?.commit_title || null,
    author: fields?.commit_author_name || origin?.commit_author_name || null,
  };
}

function repositoryOf(fields: Parameters['git'], origin: Parameters['gitlab']): LocatedRepository | null {
  const addresses = [fields?.repo_url, origin?.web_url, fields?.checkout_url, origin?.repo_url];
  const [found] = addresses.flatMap((address) => repositoryAt(address) ?? []);
  const { repo_owner: owner, repo_name: name } = fields ?? {};
  return found ?? (owner && name ? repositoryNamed(`${owner}/${name}`) : null);
}

function lowerCase(value: string | null | undefined): string | null {
  return value?.toLowerCase() ?? null;
}
