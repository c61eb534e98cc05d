import { type Described, header, json, jsonBody, lines, pageParameters, parameter, query } from '../described.ts';
import { entryAnswers, OUTCOME_CODES } from './deploy.ts';

const NOT_FOUND = ['status:db:not_found'] as const;
const CUT_SHORT = ['status:changes:timeout', 'status:changes:fatal'] as const;

/** An operation that is an entry of the log. */
function operation(one: Omit<Described, 'answers'> & Partial<Pick<Described, 'answers'>>): Described {
  return {
    answers: entryAnswers,
    ...one,
    parameters: [...(one.parameters ?? []), parameter('prefer')],
    codes: [...NOT_FOUND, 'deploy:db:failed_to_store_payload', ...one.codes],
  };
}

const variable = {
  parameters: [parameter('restart')],
  codes: [...NOT_FOUND, 'request:bad_parameter', 'deploy:db:failed_to_store_payload'],
} as const satisfies Partial<Described>;

const to = query('to', 'The id of an entry in `rollback` of the application; by default the one before.');
const clean = query('clean', 'Whether its build reuses nothing of earlier ones.', { type: 'boolean', default: false });
const ref = query('ref', 'A branch, or the whole id of a commit; by default the branch that the application follows.');

/** Applications, and what can be done with them. */
export const applicationOperations = {
  'GET /1/apps/{user}': {
    operationId: 'applications',
    summary: 'The applications of the user, sorted by name',
    parameters: [...pageParameters('Applications', 100), parameter('includeDocs')],
    answers: { 200: json('A page, sorted by name.', 'Applications', { Link: header('Link') }) },
    codes: ['request:bad_parameter'],
  },
  'POST /1/apps/{user}': operation({
    operationId: 'deployRepository',
    summary: 'Deploys a repository for the first time, without a webhook call',
    description:
      '`{"repository": {"host": "github", "owner": "ann", "name": "shop"}, "branch": "main"}`: the tip of that branch, by ' +
      'default of that of the repository, which the application follows then. `path` in `repository` names a folder, ' +
      '`environment` a second application of it.',
    body: jsonBody('What is deployed.', 'FirstDeploy'),
    codes: ['request:bad_parameter', 'request:too_large', ...OUTCOME_CODES],
  }),
  'GET /1/apps/{user}/{application}': {
    operationId: 'application',
    summary: 'One application',
    parameters: [parameter('includeDocs')],
    answers: { 200: json('The application.', 'Application') },
    codes: [...NOT_FOUND, 'request:bad_parameter'],
  },
  'DELETE /1/apps/{user}/{application}': operation({
    operationId: 'remove',
    summary: 'Removes an application with its variables and files, and frees its name; its log and badge stay',
    codes: ['deploy:platform:start_app'],
  }),
  'GET /1/apps/{user}/{application}/env': {
    operationId: 'variables',
    summary: 'The environment variables of an application',
    description: '`{"env": {"<variable>": null}}`, with the values for `?values=true`.',
    parameters: [parameter('values')],
    answers: { 200: json('The variables, sorted by name.', 'Variables') },
    codes: [...NOT_FOUND, 'request:bad_parameter'],
  },
  'PATCH /1/apps/{user}/{application}/env': {
    ...variable,
    operationId: 'changeVariables',
    parameters: [parameter('restart'), parameter('previews')],
    summary: 'Sets and removes several variables, all or none, and restarts the application once',
    description: '`{"A": "1", "B": null}` sets `A` and removes `B`.',
    body: jsonBody('The values by name; null removes one.', 'VariableChanges'),
    answers: {
      200: json('They are changed.', 'VariablesChange'),
      201: json('They are set, and the application was made by that.', 'VariablesChange'),
    },
    codes: [...variable.codes, 'request:too_large'],
  },
  'PUT /1/apps/{user}/{application}/env/{variable}': {
    ...variable,
    operationId: 'setVariable',
    parameters: [parameter('restart'), parameter('previews')],
    summary: 'Sets a variable and restarts the application',
    description: 'To `{"value": "…"}` or a JSON string.',
    body: jsonBody(
      'The value: a JSON string, or an object with `value`. All variables together have at most 64 KiB.',
      'VariableValue',
    ),
    answers: {
      200: json('It is set.', 'VariableChange'),
      201: json('It is set, and the application was made by that.', 'VariableChange'),
    },
    codes: [...variable.codes, 'request:too_large'],
  },
  'DELETE /1/apps/{user}/{application}/env/{variable}': {
    ...variable,
    operationId: 'removeVariable',
    summary: 'Removes a variable and restarts the application',
    answers: { 200: json('It is removed.', 'VariableChange') },
  },
  'GET /1/apps/{user}/{application}/settings': {
    operationId: 'settings',
    summary: 'The settings of an application',
    answers: { 200: json('The settings.', 'Settings') },
    codes: NOT_FOUND,
  },
  'PATCH /1/apps/{user}/{application}/settings': {
    operationId: 'changeSettings',
    summary: 'Changes settings of an application',
    description:
      '`{"build": "make", "output": "site", "start": null}`. They are kept over deploys, may come before the first one, and come ' +
      'before `deploy` in package.json, which has the same settings. Previews have those of their application. The next ' +
      'deploy uses them. `branch` has it follow another branch: pushes of others are refused.',
    body: jsonBody('The settings to change.', 'SettingsChange'),
    answers: { 200: json('They are changed; `next` says what is deployed next.', 'ChangedSettings') },
    codes: [...NOT_FOUND, 'request:bad_parameter', 'request:too_large', 'deploy:repohost:no_pkg_json'],
  },
  'POST /1/apps/{user}/{application}/transfer': {
    operationId: 'transfer',
    summary: 'Gives an application to another repository, or another folder',
    description:
      '`{"repository": {"host": "github", "owner": "ann", "name": "shop"}}`, with `path` for a folder. Variables, domains and data ' +
      'stay. A repository that was renamed at its host is known again without this.',
    body: jsonBody('The repository that deploys it from now on.', 'Transfer'),
    answers: { 200: json('It belongs to it; `next` says what is left to do.', 'Transferred') },
    codes: [...NOT_FOUND, 'request:bad_parameter', 'request:too_large', 'deploy:repohost:no_pkg_json'],
  },
  'GET /1/apps/{user}/{application}/domains': {
    operationId: 'domains',
    summary: 'The domains of an application, and whether each leads to the service',
    description: '`{"domains": [{"name", "url", "points_here", "note"}]}`; the first one is its address.',
    answers: { 200: json('The domains, oldest first.', 'Domains') },
    codes: [...NOT_FOUND, 'request:not_supported'],
  },
  'PUT /1/apps/{user}/{application}/domains/{domain}': {
    operationId: 'addDomain',
    summary: 'Gives an application a domain, which is served at once',
    description: '`409` when another application has it.',
    answers: {
      200: json('It has it already.', 'Domain'),
      201: json('It has it, whether it leads to the service yet or not.', 'Domain'),
    },
    codes: [...NOT_FOUND, 'request:bad_parameter', 'request:conflict', 'request:not_supported'],
  },
  'DELETE /1/apps/{user}/{application}/domains/{domain}': {
    operationId: 'removeDomain',
    summary: 'Takes a domain from an application',
    answers: { 204: { description: 'It is free.' } },
    codes: [...NOT_FOUND, 'request:bad_parameter', 'request:not_supported'],
  },
  'GET /1/apps/{user}/{application}/logs': {
    operationId: 'output',
    summary: 'What an application has printed',
    description: '`?lines=` (0 to 1000, default 100), `?process=worker`, `?follow`.',
    parameters: [
      query('lines', 'The last lines to begin with.', { type: 'integer', minimum: 0, maximum: 1000, default: 100 }),
      query('process', 'The lines of this process (`worker.1`), or of all of this type (`worker`), only.'),
      parameter('follow'),
    ],
    answers: { 200: lines('The lines.', 'OutputLine') },
    codes: [...NOT_FOUND, 'request:bad_parameter', ...CUT_SHORT],
  },
  'GET /1/apps/{user}/{application}/processes': {
    operationId: 'processes',
    summary: 'The processes of an application, and how many are to run',
    description: '`{"processes": [process], "cron": [entry], "scale": {"web": 1, "worker": 2}}`.',
    answers: { 200: json('What runs.', 'Processes') },
    codes: [...NOT_FOUND, 'request:not_supported'],
  },
  'PATCH /1/apps/{user}/{application}/processes': {
    operationId: 'scale',
    summary: 'Says how many processes of some types are to run, also after later deploys',
    description: '`{"worker": 2}`.',
    body: jsonBody('The numbers by type.', 'Scale'),
    answers: { 200: json('What runs now.', 'Processes') },
    codes: [...NOT_FOUND, 'request:bad_parameter', 'request:too_large', 'request:conflict', 'request:not_supported'],
  },
  'POST /1/apps/{user}/{application}/runs': {
    operationId: 'run',
    summary: 'Starts a command in the release that is live, with its variables',
    description: '`{"command": ["node", "seed.js"]}`; the answer is `{"id", "terminal"}`.',
    body: jsonBody('The command.', 'Command'),
    answers: { 201: json('It runs.', 'Run') },
    codes: [...NOT_FOUND, 'request:bad_parameter', 'request:too_large', 'request:conflict', 'request:not_supported'],
  },
  'GET /1/apps/{user}/{application}/runs/{run}': {
    operationId: 'runOutput',
    summary: 'What a command says until it ends; each piece is read once',
    description: 'At last `{"exit", "reason"}`.',
    answers: { 200: lines('The pieces.', 'RunOutput') },
    codes: [...NOT_FOUND, 'request:conflict', 'request:not_supported', ...CUT_SHORT],
  },
  'POST /1/apps/{user}/{application}/runs/{run}': {
    operationId: 'runInput',
    summary: 'Sends input or a signal to a command',
    description: '`{"data": "<base64>"}`, `{"end": true}`, `{"signal": "SIGINT"}` or the new size of its terminal.',
    body: jsonBody('The input.', 'RunInput'),
    answers: { 204: { description: 'It gets it.' } },
    codes: [...NOT_FOUND, 'request:bad_parameter', 'request:too_large', 'request:not_supported'],
  },
  'POST /1/apps/{user}/{application}/restart': operation({
    operationId: 'restart',
    summary: 'Starts what the application runs again, with the current variables; also a stopped one',
    codes: ['deploy:platform:start_app'],
  }),
  'POST /1/apps/{user}/{application}/stop': operation({
    operationId: 'stop',
    summary: 'Ends an application until a restart or the next deploy',
    codes: ['deploy:platform:start_app'],
  }),
  'POST /1/apps/{user}/{application}/rename': operation({
    operationId: 'rename',
    summary: 'Gives an application another name, with its variables, domains and data',
    description:
      '`{"name": "store"}`, as the next commits have it in package.json. What runs is started again, under ' +
      'the new name in its address; deploys under way end. The log of earlier deploys stays under the old name.',
    body: jsonBody('The new name.', 'Rename'),
    codes: [
      ...(['request:bad_parameter', 'request:conflict', 'request:too_large', 'request:not_supported'] as const),
      'deploy:platform:start_app',
    ],
  }),
  'POST /1/apps/{user}/{application}/rollback': operation({
    operationId: 'rollback',
    summary: 'Starts the snapshot of an earlier deploy',
    description: '`?to=<entry>`, by default the previous one.',
    parameters: [to],
    codes: ['request:bad_parameter', 'deploy:tar:extract_failed', 'deploy:platform:start_app'],
  }),
  'POST /1/apps/{user}/{application}/redeploy': operation({
    operationId: 'redeploy',
    summary: 'Deploys the commit of the newest deploy again, also of one that failed',
    description: '`?clean=true` installs and builds without modules and caches of earlier builds.',
    parameters: [clean],
    codes: ['request:bad_parameter', ...OUTCOME_CODES],
  }),
  'POST /1/apps/{user}/{application}/reconcile': operation({
    operationId: 'reconcile',
    summary: 'Compares an application with the tip of the branch that its pushes deploy, and deploys a missed commit',
    answers: { ...entryAnswers, 200: json('Nothing was missed, or is deployed: the answer says why.', 'Compared') },
    codes: OUTCOME_CODES,
  }),
  'POST /1/apps/{user}/{application}/deploy': operation({
    operationId: 'deployByHand',
    summary: 'Deploys the tip of a branch, or a commit, from the repository of the application',
    description: '`?ref=<branch or whole commit id>`.',
    parameters: [ref],
    codes: ['request:bad_parameter', ...OUTCOME_CODES],
  }),
} as const satisfies Readonly<Record<string, Described>>;
