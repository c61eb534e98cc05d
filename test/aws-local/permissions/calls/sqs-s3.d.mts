import type { Call } from '../guard.mjs';

/** The parts of a request to S3 that say what it does. The bucket is in the path. */
export interface S3Request {
  readonly method?: string | undefined;
  /** Path and query, as sent. */
  readonly url?: string | undefined;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

/**
 * Returns the permissions that a request to S3 needs; undefined for an operation that is not known here.
 *
 * @see https://docs.aws.amazon.com/AmazonS3/latest/userguide/using-with-s3-policy-actions.html
 */
export declare function s3Calls(request: S3Request): Call[] | undefined;

/** Returns the permission without which S3 does not say that an object is not there, but answers 403. */
export declare function listCall(request: S3Request): Call | undefined;

/**
 * Returns the permissions that a request to SQS needs; undefined for an operation that is not known here.
 *
 * @param operation such as `SendMessage`
 * @see https://docs.aws.amazon.com/service-authorization/latest/reference/list_amazonsqs.html
 */
export declare function sqsCalls(operation: string, input: object): Call[] | undefined;
