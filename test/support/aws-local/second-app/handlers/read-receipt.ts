import { GetObjectCommand, NoSuchKey, S3Client } from '@aws-sdk/client-s3';
import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';

const storage = new S3Client({});

/** `GET /orders/{id}`: the receipt of an order, 404 until it is written. */
export async function handler({ pathParameters }: APIGatewayProxyEvent): Promise<APIGatewayProxyResult> {
  const Key = `receipts/${pathParameters?.id}`;
  try {
    const { Body } = await storage.send(new GetObjectCommand({ Bucket: process.env.BUCKET, Key }));
    return { statusCode: 200, body: (await Body?.transformToString()) ?? '' };
  } catch (error) {
    if (error instanceof NoSuchKey) return { statusCode: 404, body: JSON.stringify({ message: 'No receipt yet' }) };
    throw error;
  }
}
