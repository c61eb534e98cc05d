import * as v from 'valibot';
import { DeployError } from '../../../core/errors.ts';
import type { Delivery, Notice } from '../../../core/payload/delivery.ts';
import type { HookCall } from '../../../core/ports/sender.ts';
import { defineSender, type WithoutProvider } from '../define-sender.ts';
import { githubRepository, readGithubPush } from '../fields/github-push.ts';
import { readPullRequest, wantsPreviews } from '../fields/pull-request.ts';
import { deliveryId, readBody } from '../fields/read.ts';
import { githubSignature } from './webhook.ts';

// Events of an organisation or an app may have no repository, or one with other fields.
const noticeBody = v.object({
  repository: v.fallback(v.nullable(githubRepository), null),
  hook: v.fallback(v.nullable(v.object({ events: v.array(v.string()) })), null),
});

/**
 * Webhooks of GitHub and GitHub Enterprise Server (https://docs.github.com/webhooks/webhook-events-and-payloads). A
 * push is read; pings and all other events become notices, because GitHub would show a webhook that gets errors as
 * failing.
 */
export const github = defineSender({
  id: 'github',
  name: 'GitHub',
  sends: 'pushes',
  header: 'X-GitHub-Event',
  signature: githubSignature,
  previews: 'Pull requests',
  setup: ({ url, repository }) => ({
    where: `Settings → Webhooks → Add webhook: https://github.com/${repository}/settings/hooks/new`,
    settings: [
      ['Payload URL', url],
      ['Content type', 'application/json'],
      ['SSL verification', 'Enable'],
      ['Which events', 'Just the push event'],
      ['Active', 'yes'],
    ],
    secretSetting: 'Secret',
  }),
  read: (call) => [read(call)],
});

function read(call: HookCall): WithoutProvider<Delivery> {
  const { headers, body } = call;
  const event = eventName(headers['x-github-event'] ?? '');
  // A redelivery keeps its id
  // (https://docs.github.com/webhooks/testing-and-troubleshooting-webhooks/redelivering-webhooks).
  const id = deliveryId(headers['x-github-delivery']);
  if (event === 'push') return { ...readGithubPush(body, 'a push of GitHub'), id };
  const pull = event === 'pull_request' && wantsPreviews(call) ? readPullRequest(body, 'github', PULL_REQUEST) : null;
  return pull ? { ...pull, id } : notice(event, id, body);
}

const PULL_REQUEST = 'a pull request of GitHub';

function eventName(header: string): string {
  if (/^[a-z0-9_]{1,64}$/.test(header)) return header;
  throw new DeployError(
    'deploy:provider:not_supported',
    'The header X-GitHub-Event does not hold the name of an event.',
  );
}

function notice(event: string, id: string | null, body: unknown): WithoutProvider<Notice> {
  const { repository, hook } = readBody(noticeBody, body, `the event ${event} of GitHub`);
  const reason =
    event === 'ping'
      ? pingReason(hook?.events ?? null)
      : `The event ${event} deploys nothing; the service acts on pushes and CI results.`;
  return { kind: 'notice', id, repository, reason, ...bringsCi(hook?.events ?? null) };
}

const ciEvents = ['*', 'workflow_run', 'check_suite', 'status'];

/** Returns whether the webhook is also set to send CI results; no field when its events are not known. */
function bringsCi(events: readonly string[] | null): { readonly bringsCi?: boolean } {
  return events === null ? {} : { bringsCi: events.some((event) => ciEvents.includes(event)) };
}

/** Returns the `reason` for a ping, which warns when the webhook does not send pushes. */
function pingReason(events: readonly string[] | null): string {
  if (events === null || events.includes('push') || events.includes('*')) {
    return 'The ping of GitHub has arrived: the webhook works.';
  }
  return 'The ping of GitHub has arrived, but the webhook is not set to send pushes, so it will never deploy.';
}
