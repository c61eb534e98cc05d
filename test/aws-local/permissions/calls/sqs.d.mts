import type { Call } from '../guard.mjs';

/**
 * Returns the permissions that a request to SQS needs; undefined for an operation that is not known here.
 *
 * @param operation such as `SendMessage`
 * @see https://docs.aws.amazon.com/service-authorization/latest/reference/list_amazonsqs.html
 */
export declare function sqsCalls(operation: string, input: object): Call[] | undefined;
