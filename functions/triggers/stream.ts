import { Readable } from 'node:stream';
import middy from '@middy/core';
import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';
import { type HttpRequest, head, problems, readRequest } from './http.ts';

/** An answer that is sent on while it is made. */
export interface StreamAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Asked for the next piece only when the last one was taken. */
  readonly body: AsyncIterable<Uint8Array>;
}

interface StreamedResult extends Omit<APIGatewayProxyResult, 'body'> {
  readonly body: Readable | string;
}

/**
 * The handler of an endpoint whose answer is streamed (`responseTransferMode: STREAM`). The head leaves with the first
 * piece of the body, so that is best written at once. What is thrown before becomes a problem document as everywhere;
 * what the body throws cuts the answer.
 *
 * https://docs.aws.amazon.com/apigateway/latest/developerguide/response-transfer-mode-lambda.html
 */
export function streamTrigger(
  answer: (request: HttpRequest) => Promise<StreamAnswer>,
  publicUrl: string | null = null,
) {
  return middy<APIGatewayProxyEvent, StreamedResult>({ streamifyResponse: true })
    .use(problems(publicUrl))
    .handler(async (event) => {
      const { status, headers, body } = await answer(readRequest(event, publicUrl));
      // Not in object mode: the bytes count, and the stream asks for more only when the client has taken them.
      const stream = Readable.from(body, { objectMode: false });
      return { ...head(status, headers, event.requestContext.requestId), body: stream };
    });
}
