import { type Described, header, json, lines, parameter, query } from '../described.ts';
import { entryAnswers, OUTCOME_CODES } from './deploy.ts';
import { pageParameters } from './paging.ts';

const NOT_FOUND = ['status:db:not_found'] as const;

/** An operation that is an entry of the log. */
function operation(
  one: Pick<Described, 'operationId' | 'summary' | 'parameters' | 'codes'> & Partial<Pick<Described, 'answers'>>,
): Described {
  return {
    answers: entryAnswers,
    ...one,
    tag: 'applications',
    parameters: [...(one.parameters ?? []), parameter('prefer')],
    codes: [...NOT_FOUND, 'deploy:db:failed_to_store_payload', ...one.codes],
  };
}

const variable = {
  tag: 'applications',
  parameters: [parameter('restart')],
  codes: [...NOT_FOUND, 'request:bad_parameter', 'deploy:db:failed_to_store_payload'],
} as const satisfies Partial<Described>;

const to = query('to', 'The id of an entry in `rollback` of the application; by default the one before.', {
  type: 'string',
});
const ref = query('ref', 'A branch, or the whole id of a commit; by default the branch of the newest deploy.', {
  type: 'string',
});

/** Applications, and what can be done with them. */
export const applicationOperations = {
  'GET /1/apps/{user}': {
    operationId: 'applications',
    tag: 'applications',
    summary: 'The applications of the user',
    parameters: [...pageParameters('Applications', 100), parameter('includeDocs')],
    answers: { 200: json('A page, sorted by name.', 'Applications', { Link: header('Link') }) },
    codes: ['request:bad_parameter'],
  },
  'GET /1/apps/{user}/{application}': {
    operationId: 'application',
    tag: 'applications',
    summary: 'One application',
    parameters: [parameter('includeDocs')],
    answers: { 200: json('The application.', 'Application') },
    codes: [...NOT_FOUND, 'request:bad_parameter'],
  },
  'DELETE /1/apps/{user}/{application}': operation({
    operationId: 'remove',
    summary: 'Removes an application with its variables and files, and frees its name; its log stays',
    codes: ['deploy:platform:start_app'],
  }),
  'GET /1/apps/{user}/{application}/env': {
    operationId: 'variables',
    tag: 'applications',
    summary: 'The environment variables of an application',
    parameters: [parameter('values')],
    answers: { 200: json('The variables, sorted by name.', 'Variables') },
    codes: [...NOT_FOUND, 'request:bad_parameter'],
  },
  'PUT /1/apps/{user}/{application}/env/{variable}': {
    ...variable,
    operationId: 'setVariable',
    summary: 'Sets a variable and restarts the application',
    body: {
      description: 'The value: a JSON string, or an object with `value`. All variables together have at most 64 KiB.',
      required: true,
      content: { 'application/json': { schema: { $ref: '#/components/schemas/VariableValue' } } },
    },
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
  'GET /1/apps/{user}/{application}/logs': {
    operationId: 'output',
    tag: 'applications',
    summary: 'What an application has printed',
    parameters: [
      query('lines', 'The last lines to begin with.', { type: 'integer', minimum: 0, maximum: 1000, default: 100 }),
      parameter('follow'),
    ],
    answers: { 200: lines('The lines.', 'OutputLine') },
    codes: [...NOT_FOUND, 'request:bad_parameter', 'status:changes:timeout', 'status:changes:fatal'],
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
  'POST /1/apps/{user}/{application}/rollback': operation({
    operationId: 'rollback',
    summary: 'Starts the snapshot of an earlier deploy',
    parameters: [to],
    codes: ['request:bad_parameter', 'deploy:tar:extract_failed', 'deploy:platform:start_app'],
  }),
  'POST /1/apps/{user}/{application}/redeploy': operation({
    operationId: 'redeploy',
    summary: 'Deploys the commit of the newest deploy again, also of one that failed',
    codes: OUTCOME_CODES,
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
    parameters: [ref],
    codes: ['request:bad_parameter', ...OUTCOME_CODES],
  }),
} as const satisfies Readonly<Record<string, Described>>;
