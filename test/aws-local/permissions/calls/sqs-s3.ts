import type { IncomingMessage } from 'node:http';
import { ACCOUNT, REGION } from '../../clients.ts';
import type { Call } from '../guard.ts';

/** The parts of a request to S3 that say what it does. The bucket is in the path. */
export type S3Request = Pick<IncomingMessage, 'method' | 'url' | 'headers'>;

const ON_QUEUE = new Set([
  ...['SendMessage', 'ReceiveMessage', 'DeleteMessage', 'ChangeMessageVisibility', 'PurgeQueue'],
  ...['GetQueueUrl', 'GetQueueAttributes', 'SetQueueAttributes', 'CreateQueue', 'DeleteQueue'],
  ...['ListDeadLetterSourceQueues', 'ListQueueTags', 'TagQueue', 'UntagQueue'],
]);

/**
 * Returns the permissions that a request to SQS needs; undefined for an operation that is not known here.
 *
 * @param operation such as `SendMessage`
 * @see https://docs.aws.amazon.com/service-authorization/latest/reference/list_amazonsqs.html
 */
export function sqsCalls(operation: string, input: Readonly<Record<string, unknown>>): Call[] | undefined {
  if (operation === 'ListQueues') return [{ action: 'sqs:ListQueues', resource: '*' }];
  // A batch needs the permission of the single operation.
  const single = operation.replace(/^(SendMessage|DeleteMessage|ChangeMessageVisibility)Batch$/, '$1');
  if (!ON_QUEUE.has(single)) return undefined;
  const name = input.QueueName ?? String(input.QueueUrl).split('/').at(-1);
  return [{ action: `sqs:${single}`, resource: `arn:aws:sqs:${REGION}:${ACCOUNT}:${name}` }];
}

/** Query parameters that do not change which permission a request needs. */
const HARMLESS =
  /^(?:x-id|x-amz-.*|response-.*|partnumber|list-type|prefix|delimiter|max-keys|start-after|continuation-token|fetch-owner|encoding-type|key-marker|upload-id-marker|max-uploads|part-number-marker|max-parts)$/i;

/** By method and the parameter in the query that names the operation. */
type Operations = Readonly<Record<string, Readonly<Record<string, string>>>>;

const ON_OBJECTS: Operations = {
  GET: { '': 'GetObject', uploadId: 'ListMultipartUploadParts', tagging: 'GetObjectTagging', acl: 'GetObjectAcl' },
  HEAD: { '': 'GetObject' },
  PUT: { '': 'PutObject', uploadId: 'PutObject', tagging: 'PutObjectTagging', acl: 'PutObjectAcl' },
  POST: { uploads: 'PutObject', uploadId: 'PutObject' },
  DELETE: { '': 'DeleteObject', uploadId: 'AbortMultipartUpload', tagging: 'DeleteObjectTagging' },
};
const ON_BUCKETS: Operations = {
  GET: { '': 'ListBucket', uploads: 'ListBucketMultipartUploads', location: 'GetBucketLocation' },
  HEAD: { '': 'ListBucket' },
  PUT: { '': 'CreateBucket' },
  DELETE: { '': 'DeleteBucket' },
};

/**
 * Returns the permissions that a request to S3 needs; undefined for an operation that is not known here.
 *
 * @see https://docs.aws.amazon.com/AmazonS3/latest/userguide/using-with-s3-policy-actions.html
 */
export function s3Calls({ method = 'GET', url = '/', headers }: S3Request): Call[] | undefined {
  const { bucket, key, query } = placeOf(url);
  const named = [...query.keys()].filter((name) => !HARMLESS.test(name));
  if (named.length > 1) return undefined;
  if (bucket === '') return method === 'GET' && named.length === 0 ? [on('ListAllMyBuckets', '*')] : undefined;
  const action = (key === '' ? ON_BUCKETS : ON_OBJECTS)[method]?.[named[0] ?? ''];
  if (action === undefined) return undefined;
  const arn = `arn:aws:s3:::${bucket}${key === '' ? '' : `/${key}`}`;
  return [on(action, arn), ...byHeaders(headers, arn)];
}

/** Returns the permission without which S3 does not say that an object is not there, but answers 403. */
export function listCall({ method, url = '/' }: S3Request): Call | undefined {
  const { bucket, key } = placeOf(url);
  const reads = method === 'GET' || method === 'HEAD';
  return reads && key !== '' ? on('ListBucket', `arn:aws:s3:::${bucket}`) : undefined;
}

/** Returns the further actions of a write: copying another object, setting tags or an access control list. */
function byHeaders(headers: S3Request['headers'], arn: string): Call[] {
  const source = headers['x-amz-copy-source'];
  return [
    ...(source
      ? [on('GetObject', `arn:aws:s3:::${decodeURIComponent(String(source)).replace(/^\/|\?versionId=.*$/g, '')}`)]
      : []),
    ...(headers['x-amz-tagging'] ? [on('PutObjectTagging', arn)] : []),
    ...(headers['x-amz-acl'] ? [on('PutObjectAcl', arn)] : []),
  ];
}

function placeOf(url: string) {
  const [path = '/', search = ''] = url.split(/\?(.*)/s);
  const [, bucket = '', key = ''] = /^\/([^/]*)\/?(.*)$/s.exec(path) ?? [];
  return { bucket, key: decodeURIComponent(key), query: new URLSearchParams(search) };
}

function on(action: string, resource: string): Call {
  return { action: `s3:${action}`, resource };
}
