import { createHash, timingSafeEqual } from 'node:crypto';
import { Sha256 } from '@smithy/core/checksum';
import { SignatureV4 } from '@smithy/signature-v4';

/** The key that a request has to be signed with; without region and service, for any. */
export interface Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly region?: string;
  readonly service?: string;
}

/** The parts of a request that its signature covers. */
export interface SignedRequest {
  readonly method: string;
  readonly host: string;
  /** As sent: percent-encoded, without the query. */
  readonly path: string;
  /** Decoded; all values of a name that has several. */
  readonly query: Readonly<Record<string, string | string[]>>;
  /** By name in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** Needed where the request does not name the hash of its body in `x-amz-content-sha256`. */
  readonly body?: Uint8Array | undefined;
}

const ALGORITHM = 'AWS4-HMAC-SHA256';
const CLOCK_SKEW_SECONDS = 5 * 60;
const MAX_EXPIRES_SECONDS = 7 * 24 * 60 * 60;
const CONTENT_HASH = 'x-amz-content-sha256';
/** Query parameters that the signer sets itself. */
const SIGNATURE_PARAMETERS = /^X-Amz-(?:Algorithm|Credential|Date|Expires|SignedHeaders|Signature)$/;

export const NOT_SIGNED = 'the request is not signed';

/** Returns the key that a request names, which is not checked yet; undefined for a request without a signature. */
export function keyOf(request: SignedRequest) {
  const claim = claimOf(request);
  if (!claim) return undefined;
  const sessionToken = request.headers['x-amz-security-token'] ?? request.query['X-Amz-Security-Token'];
  return { accessKeyId: claim.credential.split('/')[0] ?? '', sessionToken };
}

/**
 * Returns why a request is refused, or undefined when it was signed with these credentials (Signature Version 4,
 * presigned query or Authorization header) and the signature is valid at `now` (epoch milliseconds).
 *
 * @see https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html
 */
export async function refusalOf(
  request: SignedRequest,
  credentials: Credentials,
  now: number,
): Promise<string | undefined> {
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

type Claim = NonNullable<ReturnType<typeof claimOf>>;

function claimOf({ headers, query }: SignedRequest) {
  const authorization = headers.authorization ?? '';
  const presigned = query['X-Amz-Signature'] !== undefined && query['X-Amz-Algorithm'] === ALGORITHM;
  if (!presigned && !authorization.startsWith(`${ALGORITHM} `)) return undefined;
  const field = (name: string) => String((presigned ? query[`X-Amz-${name}`] : fieldOf(authorization, name)) ?? '');
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
function scopeOf({ credential }: Claim) {
  const [, , region = '', service = ''] = credential.split('/');
  return { region, service };
}

/** Signs the parts of the request that the claim names. */
async function sign(request: SignedRequest, scope: Required<Credentials>, claim: Claim) {
  const { region, service, ...credentials } = scope;
  const { presigned, signedHeaders, signingDate, expiresIn } = claim;
  // S3 signs the path as it is sent, the others encode it once more.
  const isS3 = service === 's3';
  const signer = new SignatureV4({
    ...{ credentials, region, service, sha256: Sha256, applyChecksum: false, uriEscapePath: !isS3 },
  });
  const query = Object.fromEntries(Object.entries(request.query).filter(([name]) => !SIGNATURE_PARAMETERS.test(name)));
  const headers = Object.fromEntries(signedHeaders.map((name) => [name, request.headers[name] ?? '']));
  const hash = presigned && isS3 ? 'UNSIGNED-PAYLOAD' : request.headers[CONTENT_HASH];
  if (hash !== undefined) headers[CONTENT_HASH] = hash;
  const { method, host, path, body } = request;
  const unsigned = { method, protocol: 'http:', hostname: host, path, headers, query, body };
  // The hash of the body is part of the signature, but not always one of the headers that it covers.
  const unsignableHeaders = new Set(signedHeaders.includes(CONTENT_HASH) ? [] : [CONTENT_HASH]);
  const options = { signingDate, signableHeaders: new Set(signedHeaders), unsignableHeaders };
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

function fieldOf(authorization: string, name: string): string | undefined {
  return new RegExp(`[ ,]${name}=([^, ]+)`).exec(authorization)?.[1];
}

/** Reads `YYYYMMDDTHHMMSSZ`. */
function parseDate(text = ''): Date {
  return new Date(text.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z'));
}

/** Compares digests: `timingSafeEqual` throws for strings of different lengths. */
function equal(left: string, right: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(left), digest(right));
}
