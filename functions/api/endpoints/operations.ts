import { before, clean, follow, grep, lines, process, redirect, ref, to } from '../parameters.ts';
import { entryAnswers, OUTCOME_CODES, operation } from './deploy.ts';
import { type Endpoints, json, jsonBody, ndjson } from './row.ts';

const CUT_SHORT = ['status:changes:timeout', 'status:changes:fatal'] as const;

/** What runs of an application, and what is done with it. */
export const operationEndpoints = {
  'GET /1/apps/{user}/{application}/processes': {
    function: 'api-apps',
    operationId: 'processes',
    summary: 'The processes of an application, and how many are to run',
    description: '`{"processes": [process], "cron": [entry], "scale": {"web": 1, "worker": 2}}`.',
    answers: { 200: json('What runs.', 'Processes') },
    codes: ['request:not_supported'],
  },
  'PATCH /1/apps/{user}/{application}/processes': {
    function: 'api-apps',
    operationId: 'scale',
    summary: 'Says how many processes of some types are to run, also after later deploys',
    description: '`{"worker": 2}`.',
    body: jsonBody('The numbers by type.', 'Scale'),
    answers: { 200: json('What runs now.', 'Processes') },
    codes: ['request:conflict', 'request:not_supported'],
  },
  'GET /1/apps/{user}/{application}/domains': {
    function: 'api-apps',
    operationId: 'domains',
    summary: 'The domains of an application, and whether each leads to the service',
    description:
      '`{"domains": [{"name", "url", "redirect", "points_here", "note"}]}`; the first one without `redirect` is its address.',
    answers: { 200: json('The domains, oldest first.', 'Domains') },
    codes: ['request:not_supported'],
  },
  'PUT /1/apps/{user}/{application}/domains/{domain}': {
    function: 'api-apps',
    operationId: 'addDomain',
    summary: 'Gives an application a domain, which is served at once',
    description:
      '`?redirect=<domain>` redirects it to another one of the application. `409` when another application has it.',
    parameters: [redirect],
    answers: {
      200: json('It has it already.', 'Domain'),
      201: json('It has it, whether it leads to the service yet or not.', 'Domain'),
    },
    codes: ['request:bad_parameter', 'request:conflict', 'request:not_supported'],
  },
  'DELETE /1/apps/{user}/{application}/domains/{domain}': {
    function: 'api-apps',
    operationId: 'removeDomain',
    summary: 'Takes a domain from an application',
    description: '`409` while others redirect to it.',
    answers: { 204: { description: 'It is free.' } },
    codes: ['request:bad_parameter', 'request:conflict', 'request:not_supported'],
  },
  'POST /1/apps/{user}/{application}/runs': {
    function: 'api-apps',
    operationId: 'run',
    summary: 'Starts a command in the release that is live, with its variables',
    description: '`{"command": ["node", "seed.js"]}`; the answer is `{"id"}`.',
    body: jsonBody('The command.', 'Command'),
    answers: { 201: json('It runs.', 'Run') },
    codes: ['request:conflict', 'request:not_supported'],
  },
  'POST /1/apps/{user}/{application}/runs/{run}': {
    function: 'api-apps',
    operationId: 'runInput',
    summary: 'Sends input or a signal to a command',
    description: '`{"data": "<base64>"}`, `{"end": true}` or `{"signal": "SIGINT"}`.',
    body: jsonBody('The input.', 'RunInput'),
    answers: { 204: { description: 'It gets it.' } },
    codes: ['request:not_supported'],
  },
  'GET /1/apps/{user}/{application}/runs/{run}': {
    function: 'api-app-logs',
    streams: true,
    operationId: 'runOutput',
    needs: 'all',
    summary: 'What a command says until it ends; each piece is read once',
    description: 'At last `{"exit", "reason"}`.',
    answers: { 200: ndjson('The pieces.', 'RunOutput') },
    codes: ['request:conflict', 'request:not_supported', ...CUT_SHORT],
  },
  'POST /1/apps/{user}/{application}/restart': operation({
    function: 'api-app-operations',
    operationId: 'restart',
    summary: 'Starts what the application runs again, with the current variables; also a stopped one',
    codes: ['deploy:platform:start_app'],
  }),
  'POST /1/apps/{user}/{application}/stop': operation({
    function: 'api-app-operations',
    operationId: 'stop',
    summary: 'Ends an application until a restart or the next deploy',
    codes: ['deploy:platform:start_app'],
  }),
  'POST /1/apps/{user}/{application}/rollback': operation({
    function: 'api-app-operations',
    operationId: 'rollback',
    needs: 'deploy',
    summary: 'Starts the snapshot of an earlier deploy',
    description: '`?to=<entry>`, by default the previous one.',
    parameters: [to],
    codes: ['deploy:tar:extract_failed', 'deploy:platform:start_app'],
  }),
  'POST /1/apps/{user}/{application}/redeploy': operation({
    function: 'api-app-source',
    operationId: 'redeploy',
    needs: 'deploy',
    summary: 'Deploys the commit of the newest deploy again, also of one that failed',
    description: '`?clean=true` installs and builds without modules and caches of earlier builds.',
    parameters: [clean],
    codes: OUTCOME_CODES,
  }),
  'POST /1/apps/{user}/{application}/deploy': operation({
    function: 'api-app-source',
    operationId: 'deployByHand',
    needs: 'deploy',
    summary: 'Deploys the tip of a branch, or a commit, from the repository of the application',
    description: '`?ref=<branch or whole commit id>`.',
    parameters: [ref],
    codes: OUTCOME_CODES,
  }),
  'POST /1/apps/{user}/{application}/reconcile': operation({
    function: 'api-app-source',
    operationId: 'reconcile',
    needs: 'deploy',
    summary: 'Compares an application with the tip of the branch that its pushes deploy, and deploys a missed commit',
    answers: { ...entryAnswers, 200: json('Nothing was missed, or is deployed: the answer says why.', 'Compared') },
    codes: OUTCOME_CODES,
  }),
  'GET /1/apps/{user}/{application}/logs': {
    function: 'api-app-logs',
    streams: true,
    operationId: 'output',
    summary: 'What an application has printed',
    description:
      '`?lines=` (0 to 1000, default 100), `?process=worker`, `?follow`. `?grep=` searches what is stored, newest first; its ' +
      'last line says how far it has looked (`searched`), and goes on with `?before=<next>` unless `next` is null.',
    parameters: [lines, process, follow, grep, before],
    answers: { 200: ndjson('The lines.', 'OutputLine') },
    codes: CUT_SHORT,
  },
} as const satisfies Endpoints;
