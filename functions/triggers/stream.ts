import { Readable } from 'node:stream';
import middy from '@middy/core';
import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';
import { identified } from '../api/answers.ts';
import type { BodilessAnswer, HttpRequest, StreamAnswer } from '../api/http.ts';
import { problems, readRequest } from './http.ts';
import { cors } from './origins.ts';
import { requestUuid } from './request-uuid.ts';

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
  answer: (request: HttpRequest) => Promise<StreamAnswer | BodilessAnswer>,
  publicUrl: string | null = null,
) {
  return middy<APIGatewayProxyEvent, StreamedResult>({ streamifyResponse: true })
    .use(cors())
    .use(problems(publicUrl))
    .handler(async (event) => {
      const { status, headers, body } = await answer(readRequest(event, publicUrl));
      return { statusCode: status, headers: identified(headers, requestUuid(event)), body: streamed(body) };
    });
}

/**
 * Without a body an empty text is written, not nothing: the head leaves with the first write, and a stream that ends
 * before has none, which API Gateway answers with 502.
 */
function streamed(body: StreamAnswer['body'] | null): Readable | string {
  // Not in object mode, so that the buffer is limited in bytes and not in chunks.
  return body === null ? '' : Readable.from(body, { objectMode: false });
}
