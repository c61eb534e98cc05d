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
const anyCi = 'Its builds call with one line at their end: "hooks hook ci <owner>/<repository>" prints it.';

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
  // https://buildkite.com/docs/apis/webhooks/pipelines/build-events
  {
    name: 'Buildkite',
    headers: ['X-Buildkite-Event'],
    fields: ['event', 'build.commit', 'pipeline.repository'],
    instead: anyCi,
  },
  // https://www.appveyor.com/docs/notifications/#webhook-payload-default
  { name: 'AppVeyor', headers: [], fields: ['eventName', 'eventData.commitId'], instead: anyCi },
  // https://plugins.jenkins.io/notification/
  { name: 'Jenkins', headers: [], fields: ['name', 'build.phase', 'build.number'], instead: anyCi },
  // https://docs.drone.io/webhooks/examples/, and the webhook plugin of Drone and Woodpecker
  {
    name: 'Drone or Woodpecker',
    headers: ['X-Drone-Event'],
    fields: ['repo.name', 'build.number', 'build.status'],
    instead: anyCi,
  },
  // https://github.com/drone-plugins/drone-webhook/blob/master/plugin/impl.go
  { name: 'Drone or Woodpecker', headers: [], fields: ['Build.Number', 'Repo.Slug', 'Commit.SHA'], instead: anyCi },
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
