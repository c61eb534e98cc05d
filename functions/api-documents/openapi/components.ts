import type { Header, Parameter, Schema } from '../../api/endpoints/openapi.ts';
import { app, follow, includeDocs, prefer, previews, restart, values } from '../../api/parameters.ts';

const path = (name: string, description: string, schema: Schema = { type: 'string' }): Parameter => ({
  name,
  in: 'path',
  required: true,
  description,
  schema,
});

export const pathParameters: Readonly<Record<string, Parameter>> = {
  user: path('user', 'The user of the credentials.'),
  application: path(
    'application',
    'The name in package.json, percent-encoded (`%40scope%2Fapp`), or that on the platform.',
  ),
  variable: path('variable', 'The name of an environment variable.', {
    type: 'string',
    pattern: '^[A-Za-z_][A-Za-z0-9_]{0,127}$',
  }),
  domain: path('domain', 'The name of a domain, such as `shop.example.com`.'),
  run: path('run', 'The id of a one-off command.'),
  id: path('id', 'The id of an entry: the last part of its address.', { type: 'string', pattern: '^[0-9a-f]{32}$' }),
  name: path('name', 'The name of an API token.'),
  host: path('host', "A configured repository host's name, its kind, or `repohost` for the first one."),
  file: path('file', 'The name of a file of the page.'),
  repository: path('repository', 'The name of a repository, followed by `.svg`.'),
};

/** The parameters of several endpoints, by the names under which these refer to them. */
export const sharedParameters: Readonly<Record<string, Parameter>> = {
  includeDocs,
  follow,
  restart,
  previews,
  values,
  app,
  prefer,
};

export const headers: Readonly<Record<string, Header>> = {
  Uuid: {
    description: 'Unique to the request; the log of the service knows it.',
    schema: { type: 'string', format: 'uuid' },
  },
  Version: { description: 'The version of the API, semver.', schema: { type: 'string' } },
  Location: { description: 'The address of the entry.', schema: { type: 'string', format: 'uri' } },
  PreferenceApplied: { description: 'The preference that was applied.', schema: { type: 'string' } },
  Link: { description: 'The pages `next` and `prev` (RFC 8288).', schema: { type: 'string' } },
  PageLink: { description: 'The page of the entry: `alternate` (RFC 8288).', schema: { type: 'string' } },
  ETag: { description: 'For `If-None-Match`, which is answered with `304`.', schema: { type: 'string' } },
  RetryAfter: { description: 'Seconds to wait before the next try.', schema: { type: 'string' } },
  Allow: { description: 'The methods of the address.', schema: { type: 'string' } },
};
