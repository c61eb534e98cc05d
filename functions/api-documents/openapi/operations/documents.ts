import { type Described, header, query, schema } from '../described.ts';

const caching = { ETag: header('ETag') } as const;
const UNCHANGED = { description: 'The client has it already.', headers: caching } as const;
const html = { 'text/html': { schema: { type: 'string' } } } as const;

const badge: Omit<Described, 'operationId'> = {
  tag: 'documents',
  summary: "The badge of a repository's last deploy",
  description:
    'A user or repository that does not exist looks like one that never deployed. `/{user}/{repository}` is the short address of the same badge.',
  parameters: [query('path', 'The folder of one application in the repository.', { type: 'string', maxLength: 250 })],
  answers: {
    200: {
      description: 'An SVG that says ok, failed, crashed, deploying, held or unknown.',
      headers: caching,
      content: { 'image/svg+xml': { schema: { type: 'string' } } },
    },
    304: UNCHANGED,
  },
  codes: ['request:not_found', 'request:bad_parameter', 'status:db:query_fail'],
};

const description: Omit<Described, 'operationId'> = {
  tag: 'documents',
  summary: 'This description',
  answers: {
    200: {
      description: 'OpenAPI 3.1.',
      headers: caching,
      content: { 'application/json': { schema: { type: 'object' } } },
    },
    304: UNCHANGED,
  },
  codes: [],
};

/** The endpoints without login. */
export const documentOperations = {
  'GET /errors': {
    operationId: 'errors',
    tag: 'documents',
    summary: 'What each error code means, and what to try',
    answers: {
      200: {
        description: 'A page for browsers (`Accept: text/html`), JSON for others.',
        headers: caching,
        content: { 'application/json': { schema: schema('ErrorExplanations') }, ...html },
      },
      304: UNCHANGED,
    },
    codes: [],
  },
  'GET /1/openapi.json': { ...description, operationId: 'openapi' },
  'GET /1/openapi': { ...description, operationId: 'shortOpenapi' },
  'GET /1/badge/{user}/{repository}': { ...badge, operationId: 'badge' },
  'GET /{user}/{repository}': { ...badge, operationId: 'shortBadge' },
} as const satisfies Readonly<Record<string, Described>>;
