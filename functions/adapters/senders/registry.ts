import { DeployError } from '../../core/errors.ts';
import type { HookCall, Sender } from '../../core/ports/sender.ts';
import { appveyor } from './appveyor/appveyor.ts';
import { bitbucket } from './bitbucket/bitbucket.ts';
import { bitbucketStatus } from './bitbucket/bitbucket-pipelines.ts';
import { buildkite } from './buildkite/buildkite.ts';
import { circleci } from './circleci/circleci.ts';
import { drone } from './drone/drone.ts';
import { hasField } from './fields/body.ts';
import type { DescribedSender } from './fields/described.ts';
import { forgejo } from './gitea/forgejo.ts';
import { forgejoActions } from './gitea/forgejo-actions.ts';
import { gitea } from './gitea/gitea.ts';
import { giteaActions } from './gitea/gitea-actions.ts';
import { gogs } from './gitea/gogs.ts';
import { github } from './github/github.ts';
import { githubActions } from './github/github-actions.ts';
import { githubChecks } from './github/github-checks.ts';
import { githubLegacy } from './github/github-legacy.ts';
import { githubStatus } from './github/github-status.ts';
import { gitlab } from './gitlab/gitlab.ts';
import { gitlabPipeline } from './gitlab/gitlab-ci.ts';
import { jenkins } from './jenkins/jenkins.ts';
import { travis } from './travis/travis.ts';

/** Every sender, in the order of asking: repository hosts, those first whose calls carry the headers of the next ones. */
export const senders: readonly DescribedSender[] = [
  forgejo,
  forgejoActions,
  gitea,
  giteaActions,
  gogs,
  gitlab,
  gitlabPipeline,
  bitbucket,
  bitbucketStatus,
  github,
  githubActions,
  githubChecks,
  githubStatus,
  travis,
  circleci,
  buildkite,
  drone,
  appveyor,
  jenkins,
  githubLegacy,
];

/**
 * The sender of a call. Throws `deploy:provider:not_supported` that says what is missing in a body that is nearly one of a
 * sender, or what would be understood.
 */
export function recognise(call: HookCall): Sender {
  const sender = senders.find((candidate) => candidate.recognises(call));
  if (sender !== undefined) return sender;
  throw new DeployError('deploy:provider:not_supported', nearMiss(call) ?? understood());
}

/** The sender whose fields the body has the greatest part of, if it has any. */
function nearMiss({ body }: HookCall): string | null {
  const ranked = senders
    .map(({ name, needs }) => ({
      name,
      found: needs.filter((path) => hasField(body, path)),
      missing: needs.filter((path) => !hasField(body, path)),
    }))
    .filter(({ found, missing }) => found.length > 0 && missing.length > 0)
    .sort((one, other) => share(other) - share(one));
  const [best] = ranked;
  if (best === undefined) return null;
  return `The body has ${best.found.join(', ')} like one of ${best.name}, but lacks ${best.missing.join(', ')}.`;
}

function share({ found, missing }: { readonly found: readonly string[]; readonly missing: readonly string[] }): number {
  return found.length / (found.length + missing.length);
}

function understood(): string {
  return `Understood are ${senders.map(({ knownBy }) => knownBy).join('; ')}.`;
}
