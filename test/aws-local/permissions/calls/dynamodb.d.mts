import type { Call } from '../guard.mjs';

/**
 * Returns the permissions that a request to DynamoDB needs; undefined for an operation that is not known here.
 *
 * @param target `X-Amz-Target`, such as `DynamoDB_20120810.GetItem`
 * @param input the request's body
 * @see https://docs.aws.amazon.com/service-authorization/latest/reference/list_amazondynamodb.html
 */
export declare function dynamodbCalls(target: string, input: object): Call[] | undefined;
