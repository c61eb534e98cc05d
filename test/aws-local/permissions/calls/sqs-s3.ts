import type { IncomingMessage } from 'node:http';
import { ACCOUNT, REGION } from '../../clients.ts';
import type { Call } from '../guard.ts';

/** The parts of a request to S3 that say what it does. The bucket is in the path. */
export type S3Request = Pick<IncomingMessage, 'method' | 'url' | 'headers'>;

const ON_QUEUE = new Set(['SendMessage', 'ChangeMessageVisibility']);

/**
 * Returns the permissions that a request to SQS needs; undefined for an operation that is not known here.
 *
 * @param operation such as `SendMessage`
 * @see https://docs.aws.amazon.com/service-authorization/latest/reference/list_amazonsqs.html
 */
export function sqsCalls(operation: string, { QueueUrl }: Readonly<Record<string, unknown>>): Call[] | undefined {
  const name = String(QueueUrl).split('/').at(-1);
  const resource = `arn:aws:sqs:${REGION}:${ACCOUNT}:${name}`;
  return ON_QUEUE.has(operation) ? [{ action: `sqs:${operation}`, resource }] : undefined;
}

/** Query parameters that do not change which permission a request needs. */
const HARMLESS = /^(?:x-id|x-amz-.*|response-.*|partnumber)$/i;
/** Headers with which a write needs further ones: it copies another object, sets tags or an access control list. */
const FURTHER = ['x-amz-copy-source', 'x-amz-tagging', 'x-amz-acl'];

/** Of objects, by method and the parameter in the query that names the operation. */
const ACTIONS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  GET: { '': 'GetObject' },
  HEAD: { '': 'GetObject' },
  PUT: { '': 'PutObject', uploadId: 'PutObject' },
  POST: { uploads: 'PutObject', uploadId: 'PutObject' },
  DELETE: { '': 'DeleteObject', uploadId: 'AbortMultipartUpload' },
};

/**
 * Returns the permissions that a request to S3 needs; undefined for an operation that is not known here, such as any on
 * a bucket.
 *
 * @see https://docs.aws.amazon.com/AmazonS3/latest/userguide/using-with-s3-policy-actions.html
 */
export function s3Calls({ method = 'GET', url = '/', headers }: S3Request): Call[] | undefined {
  const { bucket, key, query } = placeOf(url);
  const [named = '', ...others] = [...query.keys()].filter((name) => !HARMLESS.test(name));
  const action = ACTIONS[method]?.[named];
  if (key === '' || action === undefined || others.length > 0 || FURTHER.some((name) => name in headers))
    return undefined;
  return [on(action, `arn:aws:s3:::${bucket}/${key}`)];
}

/** Returns the permission without which S3 does not say that an object is not there, but answers 403. */
export function listCall({ method, url = '/' }: S3Request): Call | undefined {
  const { bucket, key } = placeOf(url);
  const reads = method === 'GET' || method === 'HEAD';
  return reads && key !== '' ? on('ListBucket', `arn:aws:s3:::${bucket}`) : undefined;
}

function placeOf(url: string) {
  const [path = '/', search = ''] = url.split(/\?(.*)/s);
  const [, bucket = '', key = ''] = /^\/([^/]*)\/?(.*)$/s.exec(path) ?? [];
  return { bucket, key: decodeURIComponent(key), query: new URLSearchParams(search) };
}

function on(action: string, resource: string): Call {
  return { action: `s3:${action}`, resource };
}
