// Verifies Signature Version 4. Plain JavaScript, because it also runs in threads and processes that start without a
// TypeScript loader; signature.d.mts describes it.
import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { SignatureV4 } from '@smithy/signature-v4';

const ALGORITHM = 'AWS4-HMAC-SHA256';
const CLOCK_SKEW_SECONDS = 5 * 60;
const MAX_EXPIRES_SECONDS = 7 * 24 * 60 * 60;
const CONTENT_HASH = 'x-amz-content-sha256';
/** Query parameters that the signer sets itself. */
const SIGNATURE_PARAMETERS = /^X-Amz-(?:Algorithm|Credential|Date|Expires|SignedHeaders|Signature)$/;

export const NOT_SIGNED = 'the request is not signed';
export const WRONG_TOKEN = 'the session token is not that of the key';

/**
 * Node's SHA-256, or HMAC when there is a secret, with the interface of `SignatureV4`. Each object makes one digest.
 */
export class Sha256 {
  #hash;

  constructor(secret) {
    this.#hash = secret === undefined ? createHash('sha256') : createHmac('sha256', bytesOf(secret));
  }

  update(data) {
    this.#hash.update(bytesOf(data));
  }

  async digest() {
    return this.#hash.digest();
  }

  reset() {
    throw new Error('A SHA-256 is used once.');
  }
}

export function isSigned(request) {
  return claimOf(request) !== undefined;
}

export function keyOf(request) {
  const claim = claimOf(request);
  if (!claim) return undefined;
  const token = request.headers['x-amz-security-token'] ?? request.query['X-Amz-Security-Token'];
  return { accessKeyId: claim.credential.split('/')[0] ?? '', sessionToken: token };
}

export async function refusalOf(request, credentials, now) {
  const claim = claimOf(request);
  if (!claim) return NOT_SIGNED;
  const { signingDate, expiresIn, signedHeaders } = claim;
  if (Number.isNaN(signingDate.getTime())) return 'X-Amz-Date is not a date';
  if (!(expiresIn >= 1 && expiresIn <= MAX_EXPIRES_SECONDS)) return 'X-Amz-Expires is not 1 to 604800';
  const ageSeconds = (now - signingDate.getTime()) / 1000;
  if (ageSeconds < -CLOCK_SKEW_SECONDS) return 'the signature is not valid yet';
  if (ageSeconds > expiresIn) return 'the signature has expired';
  if (!signedHeaders.includes('host')) return 'the signature does not cover the Host header';
  const expected = await sign(request, { ...scopeOf(claim), ...credentials }, claim);
  if (claim.credential !== expected.credential) return 'the credential is not of this key, day and service';
  return equal(claim.signature, expected.signature) ? undefined : 'the signature does not match the request';
}

function claimOf({ headers, query }) {
  const authorization = headers.authorization ?? '';
  const presigned = query['X-Amz-Signature'] !== undefined && query['X-Amz-Algorithm'] === ALGORITHM;
  if (!presigned && !authorization.startsWith(`${ALGORITHM} `)) return undefined;
  const field = (name) => (presigned ? query[`X-Amz-${name}`] : fieldOf(authorization, name)) ?? '';
  return {
    presigned,
    credential: field('Credential'),
    signedHeaders: field('SignedHeaders').split(';'),
    signature: field('Signature'),
    signingDate: parseDate(presigned ? field('Date') : headers['x-amz-date']),
    // A signature in a header is valid within the clock skew.
    expiresIn: presigned ? Number(field('Expires')) : CLOCK_SKEW_SECONDS,
  };
}

/** The region and service in `<key>/<day>/<region>/<service>/aws4_request`. */
function scopeOf({ credential }) {
  const [, , region = '', service = ''] = credential.split('/');
  return { region, service };
}

/** Signs the parts of the request that the claim names. */
async function sign(request, { region, service, ...credentials }, claim) {
  const { presigned, signedHeaders, signingDate, expiresIn } = claim;
  // S3 signs the path as it is sent, the others encode it once more:
  // https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html
  const isS3 = service === 's3';
  const settings = { credentials, region, service, sha256: Sha256, applyChecksum: false, uriEscapePath: !isS3 };
  const signer = new SignatureV4(settings);
  const query = Object.fromEntries(Object.entries(request.query).filter(([name]) => !SIGNATURE_PARAMETERS.test(name)));
  const headers = Object.fromEntries(signedHeaders.map((name) => [name, request.headers[name] ?? '']));
  const hash = contentHash(request, isS3 && presigned);
  if (hash !== undefined) headers[CONTENT_HASH] = hash;
  const { method, host, path, body } = request;
  const unsigned = { method, protocol: 'http:', hostname: host, path, headers, query, body };
  const options = { signingDate, signableHeaders: new Set(signedHeaders), unsignableHeaders: unlisted(signedHeaders) };
  if (presigned) {
    const unhoistableHeaders = new Set([...signedHeaders, CONTENT_HASH]);
    const { query: signed = {} } = await signer.presign(unsigned, { ...options, unhoistableHeaders, expiresIn });
    return { credential: String(signed['X-Amz-Credential']), signature: String(signed['X-Amz-Signature']) };
  }
  const { authorization = '' } = (await signer.sign(unsigned, options)).headers;
  return {
    credential: fieldOf(authorization, 'Credential') ?? '',
    signature: fieldOf(authorization, 'Signature') ?? '',
  };
}

/** The hash of the body that the signature is made with; undefined where it is that of `body`. */
function contentHash({ headers }, isPresignedForS3) {
  return isPresignedForS3 ? 'UNSIGNED-PAYLOAD' : headers[CONTENT_HASH];
}

/** The hash of the body is part of the signature, but not always one of the headers that it covers. */
function unlisted(signedHeaders) {
  return new Set(signedHeaders.includes(CONTENT_HASH) ? [] : [CONTENT_HASH]);
}

function fieldOf(authorization, name) {
  return new RegExp(`[ ,]${name}=([^, ]+)`).exec(authorization)?.[1];
}

/** Reads `YYYYMMDDTHHMMSSZ`. */
function parseDate(text = '') {
  return new Date(text.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z'));
}

/** Compares digests: `timingSafeEqual` throws for strings of different lengths. */
function equal(left, right) {
  const digest = (text) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(left), digest(right));
}

function bytesOf(data) {
  if (typeof data === 'string') return Buffer.from(data);
  return data instanceof ArrayBuffer ? Buffer.from(data) : Buffer.from(data.buffer, data.byteOffset, data.byteLength);
}
