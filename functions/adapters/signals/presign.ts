import { createHash, createHmac, type Hash, type Hmac } from 'node:crypto';
import { SignatureV4 } from '@smithy/signature-v4';

/** What a signature is made with; read anew for every signature, because credentials change while a process lives. */
export interface SigningKeys {
  readonly credentials: () => Promise<{
    readonly accessKeyId: string;
    readonly secretAccessKey: string;
    readonly sessionToken?: string;
  }>;
  readonly region: () => Promise<string>;
}

/** Seconds within which the address must be used. */
const GOOD_FOR_SECONDS = 60;

/**
 * An address signed with Signature Version 4, session token included, for API Gateway's IAM authorization. The signature
 * covers the query, so that whoever sees the address can neither use it later nor for another query.
 *
 * https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html
 */
export async function presign(
  address: string,
  query: Readonly<Record<string, string>>,
  { credentials, region }: SigningKeys,
): Promise<string> {
  const { protocol, host, hostname, pathname } = new URL(address);
  const signer = new SignatureV4({
    service: 'execute-api',
    region: await region(),
    credentials: await credentials(),
    sha256: Sha256,
  });
  const request = { method: 'GET', protocol, hostname, path: pathname, query: { ...query }, headers: { host } };
  const signed = await signer.presign(request, { expiresIn: GOOD_FOR_SECONDS });
  const pairs = Object.entries(signed.query ?? {}).map(([name, value]) => `${escaped(name)}=${escaped(String(value))}`);
  return `${protocol}//${host}${pathname}?${pairs.join('&')}`;
}

/** What signing escapes; `encodeURIComponent` leaves five characters more as they are. */
function escaped(text: string): string {
  return encodeURIComponent(text).replace(/[!'()*]/g, (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`);
}

type Bytes = string | ArrayBuffer | ArrayBufferView;

/** Node's SHA-256 in the form that the signer wants. */
class Sha256 {
  #hash: Hash | Hmac;
  readonly #secret: Bytes | undefined;

  constructor(secret?: Bytes) {
    this.#secret = secret;
    this.#hash = begin(secret);
  }

  update(data: Bytes): void {
    this.#hash.update(bytes(data));
  }

  async digest(): Promise<Uint8Array> {
    return this.#hash.digest();
  }

  reset(): void {
    this.#hash = begin(this.#secret);
  }
}

function begin(secret: Bytes | undefined): Hash | Hmac {
  return secret === undefined ? createHash('sha256') : createHmac('sha256', bytes(secret));
}

function bytes(data: Bytes): Uint8Array {
  if (typeof data === 'string') return Buffer.from(data, 'utf8');
  return ArrayBuffer.isView(data)
    ? new Uint8Array(data.buffer, data.byteOffset, data.byteLength)
    : new Uint8Array(data);
}
