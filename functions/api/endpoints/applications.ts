import { applicationPage } from '../paging.ts';
import { includeDocs, previews, restart, values } from '../parameters.ts';
import { OUTCOME_CODES, operation } from './deploy.ts';
import { type Endpoints, header, json, jsonBody, type Row } from './row.ts';

const variable = {
  parameters: [restart],
  codes: ['deploy:db:failed_to_store_payload'],
} as const satisfies Partial<Row>;

/** What an application is: where it comes from, its variables, settings and name. */
export const applicationEndpoints = {
  'GET /1/apps/{user}': {
    function: 'api-apps',
    operationId: 'applications',
    summary: 'The applications of the user, sorted by name',
    parameters: [applicationPage.limit, applicationPage.skip, includeDocs],
    codes: ['request:unavailable'],
    answers: { 200: json('A page, sorted by name.', 'Applications', { Link: header('Link') }) },
  },
  'POST /1/apps/{user}': operation({
    function: 'api-app-source',
    operationId: 'deployRepository',
    needs: 'deploy',
    summary: 'Deploys a repository for the first time, without a webhook call',
    description:
      '`{"repository": {"host": "github", "owner": "ann", "name": "shop"}, "branch": "main"}`: the tip of that branch, by ' +
      'default of that of the repository, which the application follows then. `path` in `repository` names a folder, ' +
      '`environment` a second application of it.',
    body: jsonBody('What is deployed.', 'FirstDeploy'),
    codes: ['status:db:not_found', ...OUTCOME_CODES],
  }),
  'GET /1/apps/{user}/{application}': {
    function: 'api-apps',
    operationId: 'application',
    summary: 'One application',
    parameters: [includeDocs],
    answers: { 200: json('The application.', 'Application') },
  },
  'DELETE /1/apps/{user}/{application}': operation({
    function: 'api-app-operations',
    operationId: 'remove',
    summary: 'Removes an application with its variables and files, and frees its name; its log and badge stay',
    codes: ['deploy:platform:start_app'],
  }),
  'GET /1/apps/{user}/{application}/env': {
    function: 'api-app-env',
    operationId: 'variables',
    summary: 'The environment variables of an application',
    description:
      '`{"env": {"<variable>": null}}`, with the values for `?values=true`, which no token with limited rights gets.',
    parameters: [values],
    codes: ['request:forbidden'],
    answers: { 200: json('The variables, sorted by name.', 'Variables') },
  },
  'PATCH /1/apps/{user}/{application}/env': {
    function: 'api-app-env',
    ...variable,
    operationId: 'changeVariables',
    parameters: [restart, previews],
    summary: 'Sets and removes several variables, all or none, and restarts the application once',
    description: '`{"A": "1", "B": null}` sets `A` and removes `B`.',
    body: jsonBody('The values by name; null removes one.', 'VariableChanges'),
    answers: {
      200: json('They are changed.', 'VariablesChange'),
      201: json('They are set, and the application was made by that.', 'VariablesChange'),
    },
  },
  'PUT /1/apps/{user}/{application}/env/{variable}': {
    function: 'api-app-env',
    ...variable,
    operationId: 'setVariable',
    parameters: [restart, previews],
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
  },
  'DELETE /1/apps/{user}/{application}/env/{variable}': {
    function: 'api-app-env',
    ...variable,
    operationId: 'removeVariable',
    summary: 'Removes a variable and restarts the application',
    answers: { 200: json('It is removed.', 'VariableChange') },
  },
  'GET /1/apps/{user}/{application}/settings': {
    function: 'api-app-source',
    operationId: 'settings',
    summary: 'The settings of an application',
    answers: { 200: json('The settings.', 'Settings') },
  },
  'PATCH /1/apps/{user}/{application}/settings': {
    function: 'api-app-source',
    operationId: 'changeSettings',
    summary: 'Changes settings of an application',
    description:
      '`{"build": "make", "output": "site", "start": null}`. They are kept over deploys, may come before the first one, and come ' +
      'before `deploy` in package.json, which has the same settings. Previews have those of their application. The next ' +
      'deploy uses them. `branch` has it follow another branch: pushes of others are refused.',
    body: jsonBody('The settings to change.', 'SettingsChange'),
    answers: { 200: json('They are changed; `next` says what is deployed next.', 'ChangedSettings') },
    codes: ['deploy:repohost:no_pkg_json'],
  },
  'POST /1/apps/{user}/{application}/transfer': {
    function: 'api-app-source',
    operationId: 'transfer',
    summary: 'Gives an application to another repository, or another folder',
    description:
      '`{"repository": {"host": "github", "owner": "ann", "name": "shop"}}`, with `path` for a folder. Variables, domains and data ' +
      'stay. A repository that was renamed at its host is known again without this.',
    body: jsonBody('The repository that deploys it from now on.', 'Transfer'),
    answers: { 200: json('It belongs to it; `next` says what is left to do.', 'Transferred') },
    codes: ['deploy:repohost:no_pkg_json'],
  },
  'POST /1/apps/{user}/{application}/rename': operation({
    function: 'api-app-operations',
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
} as const satisfies Endpoints;
