import { Readable } from 'node:stream';
import middy from '@middy/core';
import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';
import { type HttpRequest, head, problems, readRequest } from './http.ts';

/** An answer with a streamed body. */
export interface StreamAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Read with backpressure: the next chunk is requested when the last one was sent. */
  readonly body: AsyncIterable<Uint8Array>;
}

interface StreamedResult extends Omit<APIGatewayProxyResult, 'body'> {
  readonly body: Readable | string;
}

/**
 * Returns the handler of an endpoint with a streamed answer (`responseTransferMode: STREAM`). Status and headers are
 * sent with the first chunk of the body, so that should come at once. An earlier error becomes a problem document; an
 * error of the body truncates the answer.
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
      // Not in object mode, so that the buffer is limited in bytes and not in chunks.
      const stream = Readable.from(body, { objectMode: false });
      return { ...head(status, headers, event.requestContext.requestId), body: stream };
    });
}
