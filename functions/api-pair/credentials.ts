import { isLabelledJson, jsonIn } from '../api/body.ts';
import type { HttpRequest } from '../api/http.ts';
import { DeployError } from '../core/errors.ts';
import { isObject } from '../core/json.ts';
import { MAX_PAYLOAD_BYTES } from '../core/payload/payload.ts';

/** A user's credentials at a repository host. Never logged, stored or put in a message. */
interface HostCredentials {
  readonly login: string;
  readonly secret: string;
}

/** Longer than the tokens and passwords of all hosts, and short enough for KMS, which encrypts 4 kB at most. */
const MAX_CREDENTIALS_BYTES = 2048;

/**
 * Returns the credentials in the body of a request, `{"credentials": "<user>:<password>"}`. It is split at the
 * first colon, because a password may contain colons.
 *
 * Throws `auth:repohost:no_credentials`, `auth:repohost:bad_credentials` or `request:too_large`. No message quotes the
 * body.
 */
export function readCredentials({ body, headers }: Pick<HttpRequest, 'body' | 'headers'>): HostCredentials {
  if (body.byteLength > MAX_PAYLOAD_BYTES) {
    throw new DeployError('request:too_large', `The body has ${body.byteLength} bytes; a few hundred are enough.`);
  }
  if (!isLabelledJson(headers)) {
    throw missing('The body is read as JSON only: send the header Content-Type: application/json.');
  }
  return split(credentialsIn(body));
}

function credentialsIn(body: Uint8Array): unknown {
  const value = jsonIn({ body }, (problem) => missing(`The body ${problem}.`));
  if (!isObject(value)) throw missing('The body must be a JSON object with the field credentials.');
  const { credentials } = value;
  if (credentials === undefined || credentials === null || credentials === '') {
    throw missing('The body has no field credentials: send {"credentials": "<user>:<password>"}.');
  }
  return credentials;
}

function split(credentials: unknown): HostCredentials {
  if (typeof credentials !== 'string') throw malformed('The field credentials must be a string: "<user>:<password>".');
  const colon = credentials.indexOf(':');
  if (colon < 1) throw malformed('The field credentials must be "<user>:<password>", with a user before the colon.');
  if (colon === credentials.length - 1) throw malformed('The field credentials has nothing after its colon.');
  if (/[\p{Cc}\p{Cs}]/u.test(credentials)) {
    throw malformed('The field credentials contains control characters; was a line break copied with it?');
  }
  if (Buffer.byteLength(credentials) > MAX_CREDENTIALS_BYTES) {
    throw malformed(
      `The field credentials has more than ${MAX_CREDENTIALS_BYTES} bytes, which no host's credentials have.`,
    );
  }
  return { login: credentials.slice(0, colon), secret: credentials.slice(colon + 1) };
}

function missing(detail: string): DeployError {
  return new DeployError('auth:repohost:no_credentials', detail);
}

function malformed(detail: string): DeployError {
  return new DeployError('auth:repohost:bad_credentials', detail);
}
