import * as v from 'valibot';
import { basic } from './endpoint.ts';

/** A webhook as a host has it. */
export interface Webhook {
  readonly id: string;
  readonly url: string;
  readonly active: boolean;
  readonly events: readonly string[];
}

/** What a new webhook shall call. */
export interface WantedWebhook {
  /** With the login in it. */
  readonly url: string;
  /** Without. */
  readonly plainUrl: string;
  readonly login: { readonly user: string; readonly secret: string };
}

/** How a host speaks of webhooks. */
export interface WebhookDialect {
  /** The API's usual address. */
  readonly api: string;
  login(token: string): Readonly<Record<string, string>>;
  /** The path of a repository's webhooks under the API, without slashes around. */
  path(repository: string): string;
  body(wanted: WantedWebhook): unknown;
  /** The webhooks in an answer; throws when it is not the documented one. */
  read(answer: unknown): readonly Webhook[];
}

const Id = v.pipe(v.union([v.string(), v.number()]), v.transform(String));
const GithubHook = v.pipe(
  v.object({
    id: Id,
    active: v.boolean(),
    events: v.array(v.string()),
    config: v.object({ url: v.optional(v.string(), '') }),
  }),
  v.transform(({ id, active, events, config }) => ({ id, active, events, url: config.url })),
);
const GitlabHook = v.pipe(
  v.object({ id: Id, url: v.string(), push_events: v.boolean() }),
  v.transform(({ id, url, push_events }) => ({ id, url, active: true, events: push_events ? ['push'] : [] })),
);
const BitbucketHook = v.pipe(
  v.object({ uuid: v.string(), url: v.string(), active: v.boolean(), events: v.array(v.string()) }),
  v.transform(({ uuid: id, ...rest }) => ({ id, ...rest })),
);

// https://docs.github.com/rest/repos/webhooks
const github: WebhookDialect = {
  api: 'https://api.github.com',
  login: (token) => ({ authorization: `Bearer ${token}`, 'x-github-api-version': '2022-11-28' }),
  path: (repository) => `repos/${repository}/hooks`,
  body: ({ url }) => ({
    name: 'web',
    active: true,
    events: ['push'],
    config: { url, content_type: 'json', insecure_ssl: '0' },
  }),
  read: (answer) => listOf(GithubHook, answer),
};

// https://docs.gitlab.com/api/project_webhooks/
const gitlab: WebhookDialect = {
  api: 'https://gitlab.com/api/v4',
  login: (token) => ({ 'private-token': token }),
  path: (repository) => `projects/${encodeURIComponent(repository)}/hooks`,
  body: ({ url }) => ({ url, push_events: true, enable_ssl_verification: true }),
  read: (answer) => listOf(GitlabHook, answer),
};

// https://developer.atlassian.com/cloud/bitbucket/rest/api-group-repositories/
const bitbucket: WebhookDialect = {
  api: 'https://api.bitbucket.org/2.0',
  login: (token) => ({
    authorization: token.includes(':') ? `Basic ${Buffer.from(token).toString('base64')}` : `Bearer ${token}`,
  }),
  path: (repository) => `repositories/${repository}/hooks`,
  body: ({ url }) => ({ description: 'deployment-webhooks', url, active: true, events: ['repo:push'] }),
  read(answer) {
    const page = v.safeParse(v.object({ values: v.array(v.unknown()) }), answer);
    return listOf(BitbucketHook, page.success ? page.output.values : answer);
  },
};

// https://docs.gitea.com/api/ and https://codeberg.org/api/swagger
function gitea(type: 'gitea' | 'forgejo', api: string): WebhookDialect {
  return {
    api,
    login: (token) => ({ authorization: `token ${token}` }),
    path: (repository) => `repos/${repository}/hooks`,
    body: ({ plainUrl, login }) => ({
      type,
      active: true,
      events: ['push'],
      config: { url: plainUrl, content_type: 'json', http_method: 'post' },
      authorization_header: basic(login),
    }),
    read: (answer) => listOf(GithubHook, answer),
  };
}

/** The hosts whose webhooks can be made from here. */
export const webhookDialects: ReadonlyMap<string, WebhookDialect> = new Map([
  ['github', github],
  ['gitlab', gitlab],
  ['bitbucket', bitbucket],
  ['gitea', gitea('gitea', 'https://gitea.com/api/v1')],
  ['forgejo', gitea('forgejo', 'https://codeberg.org/api/v1')],
]);

function listOf<T>(schema: v.GenericSchema<unknown, T>, answer: unknown): readonly T[] {
  const result = v.safeParse(v.array(schema), Array.isArray(answer) ? answer : [answer]);
  if (result.success) return result.output;
  throw new Error('The answer of the host could not be understood.');
}
