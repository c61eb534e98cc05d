import { query } from '../parameters.ts';
import { type Endpoints, header, json, type Row, schema } from './row.ts';

const caching = { ETag: header('ETag') } as const;
const UNCHANGED = { description: 'The client has it already.', headers: caching } as const;
const bytes = { schema: { type: 'string' } } as const;
const html = { 'text/html': bytes } as const;
const service = json('The page for browsers (`Accept: text/html`), JSON for others.', 'Service');

const badge = {
  function: 'api-badge',
  login: 'none',
  summary: "The badge of a repository's last deploy",
  description:
    'A user or repository that does not exist looks like one that never deployed. `/{user}/{repository}` is the short address of the same badge.',
  parameters: [query('path', 'The folder of one application in the repository.', { type: 'string', maxLength: 250 })],
  answers: {
    200: {
      description: 'An SVG that says ok, failed, crashed, deploying, held or unknown.',
      headers: caching,
      content: { 'image/svg+xml': bytes },
    },
    304: UNCHANGED,
  },
  codes: ['request:not_found', 'status:db:query_fail'],
} as const satisfies Partial<Row>;

const description = {
  function: 'api-documents',
  login: 'none',
  summary: 'The description of the API',
  description: 'In OpenAPI 3.1.',
  answers: {
    200: {
      description: 'OpenAPI 3.1.',
      headers: caching,
      content: { 'application/json': { schema: { type: 'object' } } },
    },
    304: UNCHANGED,
  },
} as const satisfies Partial<Row>;

export const documentEndpoints = {
  // Every error links to this page in its `type`, so it must open without a login. It contains no user data.
  'GET /errors': {
    function: 'api-documents',
    login: 'none',
    operationId: 'errors',
    summary: 'What each error code means, and what to try',
    answers: {
      200: {
        description: 'A page for browsers (`Accept: text/html`), JSON for others.',
        headers: caching,
        content: { 'application/json': { schema: schema('ErrorExplanations') }, ...html },
      },
      304: UNCHANGED,
    },
  },
  'GET /1/openapi.json': { ...description, operationId: 'openapi' },
  'GET /1/openapi': { ...description, operationId: 'shortOpenapi' },
  // The page has the login form. All are streamed because only a stream passes compressed bytes on as they are.
  'GET /': {
    function: 'api-page',
    login: 'none',
    streams: true,
    operationId: 'service',
    summary: 'The page of the service, or its name, version and links',
    answers: { 200: { ...service, content: { ...service.content, ...html } } },
  },
  'GET /assets/{file}': {
    function: 'api-page',
    login: 'none',
    streams: true,
    operationId: 'asset',
    summary: 'A file of the page, named for its content',
    answers: {
      200: {
        description: 'The file; browsers may keep it for ever.',
        content: { 'text/javascript': bytes, 'text/css': bytes, 'image/svg+xml': bytes },
      },
    },
    codes: ['request:not_found'],
  },
  'GET /1/senders': {
    function: 'api-page',
    login: 'none',
    streams: true,
    operationId: 'senders',
    summary: 'How the webhook of each sender is set up',
    description: '`<user>`, `<token>` and `<owner>/<repository>` stand for what only the reader knows.',
    answers: { 200: json('All senders that can be set up.', 'Senders') },
  },
  'GET /1/badge/{user}/{repository}': { ...badge, operationId: 'badge' },
  // The short address that a readme embeds; `.svg` is part of {repository}.
  'GET /{user}/{repository}': { ...badge, operationId: 'shortBadge' },
} as const satisfies Endpoints;
