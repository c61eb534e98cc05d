import { basic, endpoint, placeholder } from './endpoint.ts';
import type { HookOptions } from './options.ts';

/** What a person pastes where, at a host or at what builds. */
export interface Settings {
  /** Where in the pages of the sender. */
  readonly where: string;
  /** Names of fields and what goes into them. */
  readonly fields: readonly (readonly [string, string])[];
  /** What else to know; a line each. */
  readonly notes?: readonly string[];
}

interface Values {
  /** With the login in it. */
  readonly url: string;
  /** Without. */
  readonly plainUrl: string;
  readonly header: string;
  readonly user: string;
  readonly repository: string;
  /** Address of the host's pages: that of its own API, or the usual one. */
  readonly web: (usual: string) => string;
}

const pushes = 'Just the push event';
const releases = 'A push that waits for CI is deployed when this calls with a passed build.';

const senders: Readonly<Record<string, (values: Values) => Settings>> = {
  github: ({ url, repository, web }) => ({
    where: `${web('https://github.com')}/${repository}/settings/hooks/new`,
    fields: [
      ['Payload URL', url],
      ['Content type', 'application/json'],
      ['SSL verification', 'Enable'],
      ['Which events', pushes],
      ['Active', 'yes'],
    ],
  }),
  gitlab: ({ url, repository, web }) => ({
    where: `${web('https://gitlab.com')}/${repository}/-/hooks`,
    fields: [
      ['URL', url],
      ['Trigger', 'Push events'],
      ['SSL verification', 'Enable'],
    ],
    notes: ['GitLab can mask the secret in the address: “Mask portions of URL”.'],
  }),
  bitbucket: ({ url, repository }) => ({
    where: `https://bitbucket.org/${repository}/admin/webhooks`,
    fields: [
      ['Title', 'deployment-webhooks'],
      ['URL', url],
      ['Status', 'Active'],
      ['Triggers', 'Repository: Push'],
    ],
  }),
  gitea: (values) => gitea(values),
  forgejo: (values) => gitea(values),
  travis: ({ url }) => ({
    where: '.travis.yml of the repository',
    fields: [
      ['notifications:', ''],
      ['  webhooks:', ''],
      ['    urls:', url],
      ['    on_success:', 'always'],
      ['    on_failure:', 'never'],
    ],
    notes: [
      'Do not commit the secret: run `travis encrypt "<the address>" --add notifications.webhooks.urls`.',
      releases,
    ],
  }),
  circleci: ({ url }) => ({
    where: 'Project Settings → Webhooks → Add Webhook',
    fields: [
      ['Receiver URL', url],
      ['Events', 'Workflow Completed'],
    ],
    notes: [releases],
  }),
  'github-actions': (values) => githubCi(values, 'Workflow runs'),
  'github-checks': (values) => githubCi(values, 'Check suites'),
  'github-status': (values) => githubCi(values, 'Statuses'),
  'gitlab-ci': ({ url, repository, web }) => ({
    where: `${web('https://gitlab.com')}/${repository}/-/hooks (the webhook for pushes, or a new one)`,
    fields: [
      ['URL', url],
      ['Trigger', 'Push events, Pipeline events'],
      ['SSL verification', 'Enable'],
    ],
    notes: [releases],
  }),
  'bitbucket-pipelines': ({ url, repository }) => ({
    where: `https://bitbucket.org/${repository}/admin/webhooks (the webhook for pushes, or a new one)`,
    fields: [
      ['URL', url],
      ['Triggers', 'Choose from a full list: Repository: Push, Build status created, Build status updated'],
    ],
    notes: [releases],
  }),
  'gitea-actions': (values) => giteaCi(values, 'Custom events: Push; Workflow Run (Gitea 1.24 or newer)'),
  'forgejo-actions': (values) =>
    giteaCi(values, 'Custom events: Push; of the Actions run events Success, Failure and Recover'),
  buildkite: ({ url }) => ({
    where: 'Settings → Notification Services → Webhook: Add',
    fields: [
      ['Webhook URL', url],
      ['Events', 'build.finished'],
    ],
    notes: [releases],
  }),
  appveyor: ({ url }) => ({
    where: 'Project → Settings → Notifications → Add notification → Webhook',
    fields: [
      ['Webhook URL', url],
      ['On build success', 'yes'],
      ['On build failure', 'no'],
    ],
    notes: [releases],
  }),
  jenkins: ({ url }) => ({
    where: 'Job → Configure → Job Notifications (Notification plugin) → Add Endpoint',
    fields: [
      ['Format', 'JSON'],
      ['Protocol', 'HTTP'],
      ['Event', 'Job Finalized'],
      ['URL', url],
    ],
    notes: [
      'Jenkins sends the login as it stands there; choose a secret without characters that need an escape.',
      releases,
    ],
  }),
  drone: ({ url }) => ({
    where: 'environment of the Drone server',
    fields: [
      ['DRONE_WEBHOOK_ENDPOINT', url],
      ['DRONE_WEBHOOK_EVENTS', 'build'],
    ],
    notes: [releases],
  }),
  woodpecker: ({ plainUrl, user }) => ({
    where: 'last step of .woodpecker.yml',
    fields: [
      ['- name:', 'deploy'],
      ['  image:', 'woodpeckerci/plugin-webhook'],
      ['  settings:', ''],
      ['    urls:', plainUrl],
      ['    username:', user],
      ['    password:', '{from_secret: deploy_token}'],
      ['  when:', '{event: push, status: success}'],
    ],
    notes: [`The secret deploy_token holds ${placeholder}, an API token of the platform.`, releases],
  }),
};

/** The senders that there are settings for. */
export const senderNames: readonly string[] = Object.keys(senders);

/** What to paste where for a sender; null when it is not known. The secret is a placeholder unless it shall be shown. */
export function settingsFor(options: HookOptions): Settings | null {
  const { sender, user, repository, api } = options;
  const shown = options.showSecret ? options.secret : undefined;
  const login = { user, secret: shown ?? placeholder };
  const header = shown === undefined ? `Basic <base64 of ${user}:${placeholder}>` : basic(login);
  const values: Values = {
    url: endpoint(options, login),
    plainUrl: endpoint(options, null),
    header,
    user,
    repository,
    web: (usual) => (api === undefined ? usual : new URL(api).origin),
  };
  return Object.hasOwn(senders, sender) ? (senders[sender]?.(values) ?? null) : null;
}

function githubCi({ url, repository, web }: Values, event: string): Settings {
  return {
    where: `${web('https://github.com')}/${repository}/settings/hooks (the webhook for pushes, or a new one)`,
    fields: [
      ['Payload URL', url],
      ['Content type', 'application/json'],
      ['Which events', `Let me select individual events: Pushes, ${event}`],
    ],
    notes: [releases],
  };
}

function giteaCi(values: Values, events: string): Settings {
  return { ...gitea(values, events), notes: [releases] };
}

function gitea({ plainUrl, header, repository, web }: Values, events = 'Push events'): Settings {
  return {
    where: `${web('<your host>')}/${repository}/settings/hooks → Add Webhook`,
    fields: [
      ['Target URL', plainUrl],
      ['HTTP method', 'POST'],
      ['POST content type', 'application/json'],
      ['Trigger on', events],
      ['Authorization header', header],
      ['Active', 'yes'],
    ],
  };
}
