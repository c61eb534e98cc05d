import { type Described, json } from '../described.ts';

const html = { 'text/html': { schema: { type: 'string' } } } as const;
const bytes = { schema: { type: 'string' } } as const;
const service = json('The page for browsers (`Accept: text/html`), JSON for others.', 'Service');

/** The page, what it loads, and what it shows of senders. None needs a login. */
export const pageOperations = {
  'GET /': {
    operationId: 'service',
    tag: 'documents',
    summary: 'The page of the service, or its name, version and links',
    answers: { 200: { ...service, content: { ...service.content, ...html } } },
    codes: [],
  },
  'GET /assets/{file}': {
    operationId: 'asset',
    tag: 'documents',
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
    operationId: 'senders',
    tag: 'documents',
    summary: 'How the webhook of each sender is set up',
    description: '`<user>`, `<token>` and `<owner>/<repository>` stand for what only the reader knows.',
    answers: { 200: json('All senders that can be set up.', 'Senders') },
    codes: [],
  },
} as const satisfies Readonly<Record<string, Described>>;
