import { randomUUID } from 'node:crypto';
import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';

const queue = new SQSClient({});

/** `POST /orders`: puts the order into the queue. */
export async function handler({ body }: APIGatewayProxyEvent): Promise<APIGatewayProxyResult> {
  const order = { id: randomUUID(), ...JSON.parse(body ?? '{}') };
  const message = { QueueUrl: process.env.QUEUE_URL, MessageBody: JSON.stringify(order) };
  await queue.send(new SendMessageCommand(message));
  return { statusCode: 202, body: JSON.stringify({ id: order.id }) };
}
