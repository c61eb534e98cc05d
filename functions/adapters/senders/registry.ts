import { DeployError } from '../../core/errors.ts';
import type { HookCall, Sender } from '../../core/ports/sender.ts';
import { bitbucket } from './bitbucket/bitbucket.ts';
import { bitbucketPipelines } from './bitbucket/bitbucket-pipelines.ts';
import { ci } from './ci/ci.ts';
import { circleci } from './circleci/circleci.ts';
import type { SenderDefinition } from './define-sender.ts';
import { hasField } from './fields/read.ts';
import { forgejo } from './gitea/forgejo.ts';
import { forgejoActions } from './gitea/forgejo-actions.ts';
import { gitea } from './gitea/gitea.ts';
import { giteaActions } from './gitea/gitea-actions.ts';
import { github } from './github/github.ts';
import { githubActions } from './github/github-actions.ts';
import { githubChecks } from './github/github-checks.ts';
import { githubLegacy } from './github/github-legacy.ts';
import { githubStatus } from './github/github-status.ts';
import { gitlab } from './gitlab/gitlab.ts';
import { gitlabCi } from './gitlab/gitlab-ci.ts';
import { matchingSenders, namingHeader } from './recognition.ts';
import type { SignatureScheme } from './signatures/scheme.ts';
import { travis } from './travis/travis.ts';
import { refusalOf, unsupported } from './unsupported.ts';

/** Every sender. Forgejo and Gitea come before GitHub, whose headers their calls also have. */
export const senders: readonly SenderDefinition[] = [
  forgejo,
  forgejoActions,
  gitea,
  giteaActions,
  gitlab,
  gitlabCi,
  bitbucket,
  bitbucketPipelines,
  github,
  githubActions,
  githubChecks,
  githubStatus,
  githubLegacy,
  travis,
  circleci,
  ci,
];

/** Looks up the senders of a list. */
export interface SenderRegistry {
  readonly senders: readonly SenderDefinition[];
  find(id: string): SenderDefinition | null;
  /** Returns what to do instead of a webhook of an unsupported service, by its name in the form of an id: `azure-devops`. */
  insteadOf(id: string): string | null;
  /**
   * Returns the sender of a call. Throws `deploy:provider:not_supported`, which names the service when it is a known
   * one that is not supported, the missing fields when the body is similar to that of a sender, or else all senders.
   */
  recognise(call: HookCall): Sender;
  /** Returns how the calls of a sender are signed; null when it cannot sign. */
  signatureOf(id: string): SignatureScheme | null;
}

/** Returns the registry of a list of senders. Throws an Error when two have the same id. */
export function senderRegistry(list: readonly SenderDefinition[]): SenderRegistry {
  const byId = new Map(list.map((sender) => [sender.id, sender]));
  if (byId.size < list.length) throw new Error('Two senders have the same id.');
  return {
    senders: list,
    find: (id) => byId.get(id) ?? null,
    insteadOf: (id) =>
      unsupported.find(({ name }) => name.toLowerCase().replaceAll(/[^a-z]+/g, '-') === id)?.instead ?? null,
    recognise(call) {
      const refusal = refusalOf(call, namingHeader(list, call) !== undefined);
      if (refusal !== null) throw refusal;
      const [sender] = matchingSenders(list, call);
      if (sender !== undefined) return sender;
      throw new DeployError('deploy:provider:not_supported', nearMiss(list, call) ?? understood(list));
    },
    signatureOf: (id) => byId.get(id)?.signature ?? null,
  };
}

/**
 * Returns a sentence about the sender of whose required fields the body has the largest share; null when it has none.
 */
function nearMiss(list: readonly SenderDefinition[], { body }: HookCall): string | null {
  const ranked = list
    .map(({ name, requiredFields = [] }) => ({
      name,
      found: requiredFields.filter((field) => hasField(body, field)),
      missing: requiredFields.filter((field) => !hasField(body, field)),
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

function understood(list: readonly SenderDefinition[]): string {
  // The name of one that sends several kinds of calls goes on after a comma.
  const names = [...new Set(list.map(({ name }) => name.split(',')[0]))].join(', ');
  const body = '{"commit", "branch", "repository", "state"}';
  return `It is like no call of ${names}. Another CI can send ${body} ("hooks hook ci"), or release a held push: POST /1/status/<user>/changes/<id>/release.`;
}

/** Returns the text for the setting of the signing secret. */
export function secretAdvice({ webhook }: Pick<SenderDefinition, 'webhook'>): string {
  return `empty, or a secret of "${webhook}" in hookSecrets (HookSecrets on AWS)`;
}
