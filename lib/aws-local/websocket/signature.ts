import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import type { GatewayRequest } from '../gateway/request.ts';
import { Rejection } from './rejection.ts';

/** The credentials a request has to be signed with. */
export interface Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly region: string;
  readonly service: string;
}

/** What a request says about its signature, in its query or in its Authorization header. */
interface Claim {
  readonly credential: string;
  readonly signedHeaders: readonly string[];
  readonly signature: string;
  /** `YYYYMMDDTHHMMSSZ`. */
  readonly date: string;
  readonly lifeMs: number;
}

const algorithm = 'AWS4-HMAC-SHA256';
// A signature in a header lives as long as clocks may differ.
const clockSkewMs = 5 * 60_000;
const longestLifeMs = 7 * 24 * 60 * 60_000;
const emptyBodyHash = sha256('');

/**
 * Makes sure that a request without a body was signed with these credentials (Signature Version 4, presigned query or
 * Authorization header) and that the signature is in force at `now` (epoch milliseconds).
 *
 * @throws Rejection 403
 * @see https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html
 */
export function verifySignature(request: GatewayRequest, credentials: Credentials, now: number): void {
  const claim = presigned(request) ?? signedHeader(request);
  if (!claim) throw new Rejection(403, 'the request is not signed', 'Missing Authentication Token');
  const { accessKeyId, region, service } = credentials;
  const scope = `${claim.date.slice(0, 8)}/${region}/${service}/aws4_request`;
  if (claim.credential !== `${accessKeyId}/${scope}`) {
    throw refuse('the request is signed with other credentials, or for another day, region or service');
  }
  checkTime(claim, now);
  if (!claim.signedHeaders.includes('host')) throw refuse('the signature does not cover the Host header');
  const expected = sign(credentials, { scope, date: claim.date, canonical: canonicalRequest(request, claim) });
  if (!equal(expected, claim.signature)) throw refuse('the signature does not match the request');
}

function presigned({ query }: GatewayRequest): Claim | undefined {
  const signature = query?.['X-Amz-Signature'];
  if (!query || signature === undefined) return undefined;
  if (query['X-Amz-Algorithm'] !== algorithm) throw refuse(`only ${algorithm} is understood`);
  const seconds = Number(query['X-Amz-Expires']);
  if (!(seconds >= 1 && seconds * 1000 <= longestLifeMs)) throw refuse('X-Amz-Expires is not between 1 and 604800');
  return {
    credential: query['X-Amz-Credential'] ?? '',
    signedHeaders: (query['X-Amz-SignedHeaders'] ?? '').split(';'),
    signature,
    date: query['X-Amz-Date'] ?? '',
    lifeMs: seconds * 1000,
  };
}

function signedHeader(request: GatewayRequest): Claim | undefined {
  const authorization = headerOf(request, 'authorization');
  if (!authorization?.startsWith(`${algorithm} `)) return undefined;
  const field = (name: string): string => new RegExp(`[ ,]${name}=([^, ]+)`).exec(authorization)?.[1] ?? '';
  return {
    credential: field('Credential'),
    signedHeaders: field('SignedHeaders').split(';'),
    signature: field('Signature'),
    date: headerOf(request, 'x-amz-date') ?? '',
    lifeMs: clockSkewMs,
  };
}

function checkTime({ date, lifeMs }: Claim, now: number): void {
  const signedAt = Date.parse(date.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z'));
  if (Number.isNaN(signedAt)) throw refuse('X-Amz-Date is not a date');
  if (signedAt > now + clockSkewMs) throw refuse('the signature is not yet current');
  if (now > signedAt + lifeMs) throw refuse('the signature has expired');
}

function canonicalRequest(request: GatewayRequest, { signedHeaders }: Claim): string {
  const headers = signedHeaders.map((name) => {
    const value = headerOf(request, name);
    if (value === undefined) throw refuse('a signed header is missing');
    return `${name}:${value.trim().replace(/\s+/g, ' ')}\n`;
  });
  return [
    request.httpMethod,
    request.path.split('/').map(encode).join('/'),
    canonicalQuery(request),
    headers.join(''),
    signedHeaders.join(';'),
    headerOf(request, 'x-amz-content-sha256') ?? emptyBodyHash,
  ].join('\n');
}

function canonicalQuery({ multiValueQuery }: GatewayRequest): string {
  return Object.entries(multiValueQuery ?? {})
    .filter(([name]) => name !== 'X-Amz-Signature')
    .map(([name, values]) => [encode(name), values.map(encode).sort()] as const)
    .sort(([left], [right]) => (left < right ? -1 : 1))
    .flatMap(([name, values]) => values.map((value) => `${name}=${value}`))
    .join('&');
}

function sign(
  { secretAccessKey, region, service }: Credentials,
  { scope, date, canonical }: { scope: string; date: string; canonical: string },
): string {
  const steps = [date.slice(0, 8), region, service, 'aws4_request'];
  const key = steps.reduce<Buffer | string>((parent, step) => hmac(parent, step), `AWS4${secretAccessKey}`);
  return hmac(key, [algorithm, date, scope, sha256(canonical)].join('\n')).toString('hex');
}

function hmac(key: Buffer | string, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** Hashed first: texts of different length can be compared in constant time, too. */
function equal(left: string, right: string): boolean {
  return timingSafeEqual(Buffer.from(sha256(left)), Buffer.from(sha256(right)));
}

/** RFC 3986: `encodeURIComponent` leaves five characters that a signature wants encoded. */
function encode(text: string): string {
  return encodeURIComponent(text).replace(/[!'()*]/g, (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`);
}

function headerOf({ headers }: GatewayRequest, name: string): string | undefined {
  return Object.entries(headers).find(([known]) => known.toLowerCase() === name)?.[1];
}

function refuse(reason: string): Rejection {
  return new Rejection(403, reason);
}
