// Plain JavaScript, because it runs in the thread of the emulator; sqs-s3.d.mts describes it.
import { ACCOUNT, REGION } from '../../place.mjs';

const ON_QUEUE = new Set([
  ...['SendMessage', 'ReceiveMessage', 'DeleteMessage', 'ChangeMessageVisibility', 'PurgeQueue'],
  ...['GetQueueUrl', 'GetQueueAttributes', 'SetQueueAttributes', 'CreateQueue', 'DeleteQueue'],
  ...['ListDeadLetterSourceQueues', 'ListQueueTags', 'TagQueue', 'UntagQueue'],
]);

export function sqsCalls(operation, input) {
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
const ON_OBJECTS = {
  GET: { '': 'GetObject', uploadId: 'ListMultipartUploadParts', tagging: 'GetObjectTagging', acl: 'GetObjectAcl' },
  HEAD: { '': 'GetObject' },
  PUT: { '': 'PutObject', uploadId: 'PutObject', tagging: 'PutObjectTagging', acl: 'PutObjectAcl' },
  POST: { uploads: 'PutObject', uploadId: 'PutObject' },
  DELETE: { '': 'DeleteObject', uploadId: 'AbortMultipartUpload', tagging: 'DeleteObjectTagging' },
};
const ON_BUCKETS = {
  GET: { '': 'ListBucket', uploads: 'ListBucketMultipartUploads', location: 'GetBucketLocation' },
  HEAD: { '': 'ListBucket' },
  PUT: { '': 'CreateBucket' },
  DELETE: { '': 'DeleteBucket' },
};

export function s3Calls({ method = 'GET', url = '/', headers }) {
  const { bucket, key, query } = placeOf(url);
  const named = [...query.keys()].filter((name) => !HARMLESS.test(name));
  if (named.length > 1) return undefined;
  if (bucket === '') return method === 'GET' && named.length === 0 ? [on('ListAllMyBuckets', '*')] : undefined;
  const action = (key === '' ? ON_BUCKETS : ON_OBJECTS)[method]?.[named[0] ?? ''];
  if (action === undefined) return undefined;
  const arn = `arn:aws:s3:::${bucket}${key === '' ? '' : `/${key}`}`;
  return [on(action, arn), ...byHeaders(headers, arn)];
}

export function listCall({ method, url = '/' }) {
  const { bucket, key } = placeOf(url);
  const reads = method === 'GET' || method === 'HEAD';
  return reads && key !== '' ? on('ListBucket', `arn:aws:s3:::${bucket}`) : undefined;
}

/** Returns the further actions of a write: copying another object, setting tags or an access control list. */
function byHeaders(headers, arn) {
  const source = headers['x-amz-copy-source'];
  return [
    ...(source
      ? [on('GetObject', `arn:aws:s3:::${decodeURIComponent(source).replace(/^\/|\?versionId=.*$/g, '')}`)]
      : []),
    ...(headers['x-amz-tagging'] ? [on('PutObjectTagging', arn)] : []),
    ...(headers['x-amz-acl'] ? [on('PutObjectAcl', arn)] : []),
  ];
}

function placeOf(url) {
  const [path = '/', search = ''] = url.split(/\?(.*)/s);
  const [, bucket = '', key = ''] = /^\/([^/]*)\/?(.*)$/s.exec(path) ?? [];
  return { bucket, key: decodeURIComponent(key), query: new URLSearchParams(search) };
}

function on(action, resource) {
  return { action: `s3:${action}`, resource };
}
