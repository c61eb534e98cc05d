import type { ErrorCode } from '../../core/errors.ts';

const FIX_ARCHIVE = 'Look at what the commit contains; it is deployed again with the next push.';
const ASK_AGAIN = 'Send the request again in a moment. If it keeps failing, tell the operator the uuid of the answer.';
const LOG_IN =
  'Send HTTP Basic credentials: the platform user name, with the password or an API token of the platform.';
const RECONNECT = 'Connect again with since set to last_seq of the last line: no change is missed or repeated.';

/**
 * What to do about each code, in one or two sentences. Not in `core/errors.ts`, because every function would load it at
 * each cold start and only the page needs it.
 */
export const advice: Readonly<Record<ErrorCode, string>> = {
  'deploy:db:failed_to_store_payload':
    'Send the delivery again from the sender’s webhook page: one that was stored nevertheless is not deployed twice.',
  'deploy:provider:not_supported':
    'Check that the webhook sends push or build events of a supported sender, and that its host is configured (RepositoryHosts).',
  'deploy:repohost:no_pkg_json':
    'Check that package.json is in the root of the repository and is valid. A private repository needs a stored token: POST /1/auth/<host>.',
  'deploy:auth:bad_creds':
    'Put the platform user name and the password or an API token into the webhook’s address, and check the webhook’s secret if one is configured.',
  'deploy:repohost:download_tarball':
    'It was tried for an hour, unless the host refused it. Check that the repository host answers and that the stored token is still valid, then deliver the webhook again.',
  'deploy:platform:upload_tarball':
    'It was tried five times. Check that the platform answers, then deliver the webhook again.',
  'deploy:platform:start_app':
    'Read the last lines that the application printed: the page and `hooks status --entry` show them, and `log_tail` of the entry has them. It must listen on PORT.',
  'deploy:no_payload': 'Send the webhook’s payload as the body: as JSON, or as a form with the field payload.',
  'deploy:tar:corrupt': 'The repository host sent something else than a tarball. Deliver the webhook again.',
  'deploy:tar:truncated': 'The download was cut off five times. Deliver the webhook again.',
  'deploy:tar:unsafe_path': `A path is absolute or contains “..”. ${FIX_ARCHIVE}`,
  'deploy:tar:unsafe_link': `A symbolic or hard link points out of the repository. ${FIX_ARCHIVE}`,
  'deploy:tar:unsafe_type': `There is a device, a pipe or another special file. ${FIX_ARCHIVE}`,
  'deploy:tar:too_large': 'The limit is 512 MiB packed and 4 GiB unpacked. Move large files out of the repository.',
  'deploy:tar:too_many_entries': 'The limit is 200 000 files and folders. Do not commit node_modules or build output.',
  'deploy:tar:ratio': `The archive looks like a decompression bomb. ${FIX_ARCHIVE}`,
  'deploy:tar:no_root': 'The repository host sent an archive of an unknown layout. Deliver the webhook again.',
  'deploy:tar:extract_failed':
    'The build has failed: usually the dependencies could not be installed. Read its log on the page or with `hooks build-log`, and check package.json and the lockfile.',
  'mw:auth:not_you': 'Put your own user name into the address, or log in as the user in the address.',
  'mw:auth:auth_server_down': ASK_AGAIN,
  'mw:auth:unauthorized': LOG_IN,
  'mw:auth:no_username': 'The user’s record on the platform has no name. Tell the operator.',
  'status:db:not_found': 'Check the address. Entries and applications are those of the user in the address.',
  'status:db:get_by_id': ASK_AGAIN,
  'status:db:query_fail': ASK_AGAIN,
  'status:changes:timeout': RECONNECT,
  'status:changes:fatal': RECONNECT,
  'auth:repohost:get_user_failed': ASK_AGAIN,
  'auth:repohost:update_user_failed': ASK_AGAIN,
  'auth:repohost:no_credentials': 'Send a JSON object with the field credentials: "<login>:<personal access token>".',
  'auth:repohost:bad_credentials':
    'Write credentials as "<login>:<personal access token>"; the first colon separates the two.',
  'auth:repohost:github_pairing_failed':
    'Create a personal access token at the repository host, for the same login and with the scopes that detail names.',
  'request:not_found': 'Check the path: /1/openapi lists the endpoints.',
  'request:method_not_allowed': 'Use one of the methods in the header Allow.',
  'request:bad_parameter': 'The detail names the parameter and what it may be.',
  'request:too_large': 'Have the sender leave out what a deploy does not need, or push fewer commits at once.',
  'request:forbidden': 'The detail says what the token may. Use another one, or the password.',
  'request:conflict': 'The detail names the state. Read it again before you send another request.',
  'request:not_supported': 'The detail says what to use instead on this platform.',
  'request:throttled': 'Wait for the seconds in Retry-After, and send fewer requests at a time.',
  'request:unavailable': 'The detail names the part. Send the request again in a moment.',
  'request:failed': ASK_AGAIN,
};
