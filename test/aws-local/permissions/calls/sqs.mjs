// Plain JavaScript, because it runs in the thread of the emulator; sqs.d.mts describes it.
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
