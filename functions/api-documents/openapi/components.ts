import type { Header, Parameter, Schema } from '../../api/endpoints/openapi.ts';
import { query } from '../../api/endpoints/row.ts';

const whether: Schema = { type: 'string', enum: ['true', 'false'], default: 'false' };
const flag: Schema = { type: 'string', enum: ['', 'true', 'false'], default: 'false' };

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

export const sharedParameters: Readonly<Record<string, Parameter>> = {
  includeDocs: query('include_docs', 'Whether entries carry `doc`; `auto`: those that have something to explain.', {
    type: 'string',
    enum: ['true', 'false', 'auto'],
    default: 'false',
  }),
  follow: query('follow', 'Whether the answer goes on with what is printed from then on.', flag),
  restart: query('restart', 'Whether the application is restarted.', { ...whether, default: 'true' }),
  previews: query(
    'previews',
    'Whether previews of the application get the variables too, from their next deploy on.',
    whether,
  ),
  values: query('values', 'Whether the values are shown.', whether),
  app: query('app', 'The application that the token is for, by its name in package.json; without it all.'),
  prefer: {
    name: 'Prefer',
    in: 'header',
    description:
      '`wait=N` (RFC 7240) answers with the outcome, after at most N seconds, up to 25; at once beyond the open streams of a user.',
    schema: { type: 'string' },
  },
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
