import { DeployError } from '../../core/errors.ts';
import type { HookCall } from '../../core/ports/sender.ts';
import { hasField } from './fields/read.ts';

/** A service whose calls are known, but not supported. */
interface Unsupported {
  readonly name: string;
  /** Headers of which its calls have at least one. */
  readonly headers: readonly string[];
  /** Fields that identify its body; absent when it is that of another service. */
  readonly fields?: readonly string[];
  /** Headers of services that send the headers above too. Without one of them the call is refused whatever else it has. */
  readonly unless?: readonly string[];
  /** The alternative, in one sentence. */
  readonly instead: string;
}

const mirror = 'Mirror the repository to a host that is supported, and use the webhook of that host.';

/** Services whose calls would otherwise be taken for those of another one, or for none. */
export const unsupported: readonly Unsupported[] = [
  // https://learn.microsoft.com/azure/devops/service-hooks/events
  {
    name: 'Azure DevOps',
    headers: ['X-Vss-SubscriptionId'],
    fields: ['publisherId', 'eventType', 'resource'],
    instead:
      'For a repository at GitHub that Azure Pipelines builds, add the event Check suites to the webhook of the ' +
      'repository; for Azure Repos, mirror the repository to a host that is supported.',
  },
  // https://github.com/drone/go-scm/tree/master/scm/driver/gitee
  { name: 'Gitee', headers: ['X-Gitee-Event', 'X-Gitee-Token'], fields: ['hook_name'], instead: mirror },
  // Its calls have GitHub's headers too: https://gogs.io/docs/features/webhook
  { name: 'Gogs', headers: ['X-Gogs-Event'], unless: ['X-Gitea-Event', 'X-Forgejo-Event'], instead: mirror },
  // https://github.com/drone/drone/blob/v0.8.11/remote/coding/hook.go
  {
    name: 'Coding.net',
    headers: ['X-Coding-Event'],
    fields: ['repository.owner.global_key', 'repository.https_url'],
    instead: mirror,
  },
  // https://developer.harness.io/docs/code-repository/config-repos/webhooks,
  // https://github.com/drone/go-scm/tree/master/scm/driver/harness/testdata/webhooks
  {
    name: 'Harness',
    headers: ['X-Harness-Trigger', 'X-Gitness-Trigger'],
    fields: ['trigger', 'repo.git_url', 'principal'],
    instead: mirror,
  },
  // https://confluence.atlassian.com/bitbucketserver0815/event-payload-1319571452.html
  {
    name: 'Bitbucket Data Center',
    headers: [],
    fields: ['eventKey', 'repository.slug', 'repository.project.key'],
    instead: 'Bitbucket Cloud is supported.',
  },
];

/**
 * Returns the refusal of a call of an unsupported service, which names it; null for every other call. `isNamed`: it has
 * the header of a sender.
 */
export function refusalOf({ headers, body }: HookCall, isNamed: boolean): DeployError | null {
  const has = (name: string) => headers[name.toLowerCase()] !== undefined;
  for (const { name, headers: headerNames, fields, unless, instead } of unsupported) {
    if (unless === undefined ? isNamed : unless.some(has)) continue;
    const header = headerNames.find(has);
    if (header === undefined && !fields?.every((field) => hasField(body, field))) continue;
    const sent = header === undefined ? '' : ` It has the header ${header}.`;
    const detail = `This is a call of ${name}, which is not supported.${sent} ${instead}`;
    return new DeployError('deploy:provider:not_supported', detail);
  }
  return null;
}
