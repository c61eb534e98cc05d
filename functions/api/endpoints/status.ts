import { logPage } from '../paging.ts';
import { feed, follow, heartbeat, includeDocs, maxRows, query, since } from '../parameters.ts';
import { type Endpoints, header, json, ndjson, type Row, schema } from './row.ts';

const page = {
  function: 'api-status',
  parameters: [logPage.limit, logPage.skip, includeDocs],
  answers: { 200: json('A page.', 'LogPage', { Link: header('Link') }) },
  codes: ['status:db:query_fail'],
} as const satisfies Partial<Row>;

const changes = {
  function: 'api-changes',
  streams: true,
  operationId: 'changes',
  summary: 'Every change of every entry, as it happens',
  description: [
    'A row for each change in the order of `seq`, which has no gaps: a JSON object per line, or server-sent events for `Accept: text/event-stream`.',
    'Empty lines keep the connection open. Before the service ends a stream, the last line is a `StreamEnd`.',
  ].join(' '),
  parameters: [
    since,
    feed,
    includeDocs,
    heartbeat,
    maxRows,
    query('app', 'Only rows of that application.'),
    {
      name: 'Last-Event-ID',
      in: 'header',
      description: 'The id of the last event that was received; it wins over `since`.',
      schema: { type: 'string', pattern: '^[0-9]{1,12}$' },
    },
  ],
  answers: {
    200: {
      description: 'The changes: a stream, or one document with `feed=longpoll` and `feed=normal`.',
      content: {
        'application/x-ndjson': { schema: schema('ChangesLine') },
        'text/event-stream': { schema: { type: 'string', description: 'The data of an event is a `ChangesLine`.' } },
        'application/json': { schema: schema('Changes') },
      },
    },
  },
  codes: ['status:db:query_fail', 'status:changes:timeout', 'status:changes:fatal'],
} as const satisfies Row;

/** The log and its changes. */
export const statusEndpoints = {
  'GET /1/status/{user}/webhooks': {
    ...page,
    operationId: 'log',
    summary: 'The log, newest first',
  },
  'GET /1/status/{user}/webhooks/{application}': {
    ...page,
    operationId: 'logOfApplication',
    summary: 'The log of one application, newest first',
  },
  'GET /1/status/{user}/refused': {
    function: 'api-status',
    operationId: 'lastRefused',
    summary: 'The last call of the webhook that was refused',
    description: [
      '`{"refused": {"at", "code", "detail", "agent"}}`, or null. A refused call has no entry: its login is wrong, or its',
      'payload is none that is known. It is kept for a day, on one machine until that ends.',
    ].join(' '),
    answers: { 200: json('The call; null when none was refused in the last 24 hours.', 'LastRefused') },
    codes: ['status:db:query_fail'],
  },
  'GET /1/status/{user}/changes': changes,
  'GET /1/status/{user}/changes/{id}': {
    function: 'api-entry',
    operationId: 'entry',
    summary: 'One entry',
    parameters: [includeDocs],
    answers: { 200: json('The entry.', 'Entry') },
  },
  'GET /1/status/{user}/changes/{id}/build-log': {
    function: 'api-build-log',
    streams: true,
    operationId: 'buildLog',
    summary: 'What the build of an entry printed',
    description: '`?follow` while it runs.',
    parameters: [follow],
    answers: { 200: ndjson('The lines, secrets masked; with `follow` until the build ends.', 'OutputLine') },
    codes: [
      ...(['request:bad_parameter', 'status:db:not_found', 'status:db:get_by_id'] as const),
      ...(['status:changes:timeout', 'status:changes:fatal'] as const),
    ],
  },
  'POST /1/status/{user}/changes/{id}/release': {
    function: 'api-entry',
    operationId: 'release',
    needs: 'deploy',
    summary: 'Lets a held deploy go without its CI',
    description: '`409` when the application was stopped, rolled back, removed or renamed since.',
    answers: {
      200: json('The entry, which was not held.', 'Entry', { Location: header('Location') }),
      202: json('The entry, which is deployed now.', 'Entry', { Location: header('Location') }),
    },
    codes: ['request:conflict'],
  },
  'POST /1/status/{user}/changes/{id}/cancel': {
    function: 'api-entry',
    operationId: 'cancel',
    needs: 'deploy',
    summary: 'Ends a queued, held or running deploy with its build',
    description: 'What was live stays live. `409` when it has ended, or its application is being started.',
    answers: { 202: json('The entry, which is `cancelled`.', 'Entry', { Location: header('Location') }) },
    codes: ['request:conflict'],
  },
} as const satisfies Endpoints;
