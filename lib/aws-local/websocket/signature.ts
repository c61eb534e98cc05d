import { createHash, timingSafeEqual } from 'node:crypto';
import { SignatureV4 } from '@smithy/signature-v4';
import type { GatewayRequest } from '../gateway/request.ts';
import { Sha256 } from './sha256.ts';
import { WebSocketError } from './web-socket-error.ts';

/** The credentials a request has to be signed with. */
export interface Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly region: string;
  readonly service: string;
}

/** The signature of a request and its parameters. */
interface Claim {
  readonly presigned: boolean;
  readonly credential: string;
  readonly signedHeaders: readonly string[];
  readonly signature: string;
  readonly signingDate: Date;
  readonly expiresIn: number;
}

const ALGORITHM = 'AWS4-HMAC-SHA256';
const CLOCK_SKEW_SECONDS = 5 * 60;
const MAX_EXPIRES_SECONDS = 7 * 24 * 60 * 60;
/** Query parameters that the signer sets itself. */
const SIGNATURE_PARAMETERS = /^X-Amz-(?:Algorithm|Credential|Date|Expires|SignedHeaders|Signature)$/;

/**
 * Checks that a request without a body was signed with these credentials (Signature Version 4, presigned query or
 * Authorization header) and that the signature is valid at `now` (epoch milliseconds).
 *
 * @throws WebSocketError 403
 * @see https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html
 */
export async function verifySignature(request: GatewayRequest, credentials: Credentials, now: number): Promise<void> {
  const claim = claimOf(request);
  if (!claim) throw new WebSocketError(403, 'the request is not signed', 'Missing Authentication Token');
  const { signingDate, expiresIn, signedHeaders } = claim;
  if (Number.isNaN(signingDate.getTime())) throw refuse('X-Amz-Date is not a date');
  if (!(expiresIn >= 1 && expiresIn <= MAX_EXPIRES_SECONDS)) throw refuse('X-Amz-Expires is not 1 to 604800');
  const ageSeconds = (now - signingDate.getTime()) / 1000;
  if (ageSeconds < -CLOCK_SKEW_SECONDS) throw refuse('the signature is not valid yet');
  if (ageSeconds > expiresIn) throw refuse('the signature has expired');
  if (!signedHeaders.includes('host')) throw refuse('the signature does not cover the Host header');
  const expected = await sign(request, credentials, claim);
  if (claim.credential !== expected.credential) throw refuse('the credential is not of this key, day and service');
  if (!equal(claim.signature, expected.signature)) throw refuse('the signature does not match the request');
}

function claimOf(request: GatewayRequest): Claim | undefined {
  const { query } = request;
  const authorization = headerOf(request, 'authorization') ?? '';
  const presigned = query?.['X-Amz-Signature'] !== undefined && query['X-Amz-Algorithm'] === ALGORITHM;
  if (!presigned && !authorization.startsWith(`${ALGORITHM} `)) return undefined;
  const field = (name: string): string => (presigned ? query[`X-Amz-${name}`] : fieldOf(authorization, name)) ?? '';
  return {
    presigned,
    credential: field('Credential'),
    signedHeaders: field('SignedHeaders').split(';'),
    signature: field('Signature'),
    signingDate: parseDate(presigned ? field('Date') : headerOf(request, 'x-amz-date')),
    // A signature in a header is valid within the clock skew.
    expiresIn: presigned ? Number(field('Expires')) : CLOCK_SKEW_SECONDS,
  };
}

/** Signs the parts of the request that the claim names. */
async function sign(
  request: GatewayRequest,
  { region, service, ...credentials }: Credentials,
  { presigned, signedHeaders, signingDate, expiresIn }: Claim,
): Promise<{ credential: string; signature: string }> {
  const signer = new SignatureV4({ credentials, region, service, sha256: Sha256, applyChecksum: false });
  const query = Object.entries(request.multiValueQuery ?? {}).filter(([name]) => !SIGNATURE_PARAMETERS.test(name));
  const unsigned = {
    method: request.httpMethod,
    protocol: 'https:',
    hostname: request.host,
    path: request.path,
    headers: Object.fromEntries(signedHeaders.map((name) => [name, headerOf(request, name) ?? ''])),
    query: Object.fromEntries(query),
  };
  const signableHeaders = new Set(signedHeaders);
  if (presigned) {
    const options = { signingDate, signableHeaders, unhoistableHeaders: signableHeaders, expiresIn };
    const { query: signed = {} } = await signer.presign(unsigned, options);
    return { credential: String(signed['X-Amz-Credential']), signature: String(signed['X-Amz-Signature']) };
  }
  const { authorization = '' } = (await signer.sign(unsigned, { signingDate, signableHeaders })).headers;
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

function headerOf({ headers }: GatewayRequest, name: string): string | undefined {
  return Object.entries(headers).find(([known]) => known.toLowerCase() === name)?.[1];
}

function refuse(reason: string): WebSocketError {
  return new WebSocketError(403, reason);
}
