/** The credentials that a request has to be signed with; without region and service, for any. */
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
  readonly body?: Uint8Array;
}

export declare const NOT_SIGNED: string;
export declare const WRONG_TOKEN: string;

/** Whether the request has a signature, valid or not. */
export declare function isSigned(request: SignedRequest): boolean;

/** Returns the key that a request names, which is not checked yet; undefined for a request without a signature. */
export declare function keyOf(
  request: SignedRequest,
): { readonly accessKeyId: string; readonly sessionToken?: string | string[] } | undefined;

/**
 * Returns why a request is refused, or undefined when it was signed with these credentials (Signature Version 4,
 * presigned query or Authorization header) and the signature is valid at `now` (epoch milliseconds).
 *
 * @see https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html
 */
export declare function refusalOf(
  request: SignedRequest,
  credentials: Credentials,
  now: number,
): Promise<string | undefined>;

type Bytes = string | ArrayBuffer | ArrayBufferView;

/**
 * Node's SHA-256, or HMAC when there is a secret, with the interface of `SignatureV4`. Each object makes one digest.
 */
export declare class Sha256 {
  constructor(secret?: Bytes);
  update(data: Bytes): void;
  digest(): Promise<Uint8Array>;
  reset(): void;
}
