import { hook, prefer } from '../parameters.ts';
import { type Endpoints, header, json, type Row } from './row.ts';

/** The codes of a failed deploy, with which `Prefer: wait` may be answered. */
export const OUTCOME_CODES = [
  'deploy:repohost:no_pkg_json',
  'deploy:repohost:download_tarball',
  'deploy:platform:upload_tarball',
  'deploy:platform:start_app',
  'deploy:tar:corrupt',
  'deploy:tar:truncated',
  'deploy:tar:unsafe_path',
  'deploy:tar:unsafe_link',
  'deploy:tar:unsafe_type',
  'deploy:tar:too_large',
  'deploy:tar:too_many_entries',
  'deploy:tar:ratio',
  'deploy:tar:no_root',
  'deploy:tar:extract_failed',
] as const;

const entryHeaders = {
  Location: header('Location'),
  Link: header('PageLink'),
  'Preference-Applied': header('PreferenceApplied'),
};

export const entryAnswers = {
  200: json('Nothing is deployed, or with `Prefer: wait` the outcome: the entry says which.', 'Entry', entryHeaders),
  202: json('The entry, which is deployed now.', 'Entry', entryHeaders),
};

/** Returns the row of an operation that is an entry of the log. */
export function operation<Name extends string>(
  one: Omit<Row, 'answers'> & Partial<Pick<Row, 'answers'>> & { readonly function: Name },
): Row & { readonly function: Name } {
  return {
    answers: entryAnswers,
    ...one,
    parameters: [...(one.parameters ?? []), prefer],
    codes: ['deploy:db:failed_to_store_payload', ...(one.codes ?? [])],
  };
}

const deploy = {
  function: 'api-deploy',
  login: 'deploy',
  needs: 'deploy',
  summary: 'Takes a webhook call',
  description:
    'The address of a webhook: of a repository host’s push, or of a CI provider’s build. The body is read whatever its Content-Type says.',
  parameters: [...Object.values(hook), prefer],
  body: {
    description:
      'The payload as its sender documents it: as JSON, as `{"payload": {…}}`, or as a form with the field `payload`; at most 5 MiB.',
    required: true,
    content: {
      'application/json': { schema: { type: 'object' } },
      'application/x-www-form-urlencoded': {
        schema: { type: 'object', properties: { payload: { type: 'string' } }, required: ['payload'] },
      },
    },
  },
  answers: entryAnswers,
  codes: ['deploy:no_payload', 'deploy:provider:not_supported', 'deploy:db:failed_to_store_payload', ...OUTCOME_CODES],
} as const satisfies Partial<Row>;

export const deployEndpoints = {
  'POST /': { ...deploy, operationId: 'deployAtRoot' },
  'POST /1/deploy': { ...deploy, operationId: 'deploy' },
} as const satisfies Endpoints;
