import { type IncomingMessage, request } from 'node:http';
import type { UrlEvent, UrlResult } from './url-event.ts';

/**
 * Of requests and of responses that are not streamed:
 * https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html
 */
export const MAX_PAYLOAD_BYTES = 6 * 1024 * 1024;
/** Of responses that are streamed: https://docs.aws.amazon.com/lambda/latest/dg/config-rs-invoke-furls.html */
const MAX_STREAM_BYTES = 200 * 1024 * 1024;

/** The server of a function answered, but not in a way that Lambda can pass on. */
export class AdapterError extends Error {
  override readonly name = 'AdapterError';
  constructor(
    readonly errorType: string,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** Takes a response while it comes. */
export interface Sink {
  /** Status, headers and cookies. */
  begin(head: UrlResult): void;
  write(chunk: Buffer): Promise<void>;
}

/** Headers of one connection, which are not passed on. */
const HOP_BY_HOP = /^(?:connection|keep-alive|transfer-encoding|upgrade|te|trailer|proxy-.*)$/;

/**
 * Sends an event as the HTTP request that it describes to a server on a port of 127.0.0.1, and returns the response as
 * the result of the function. This is what the Lambda Web Adapter does on AWS.
 *
 * With a `sink` the response is passed on while it comes, up to 200 MB.
 *
 * @throws AdapterError when the server ends the connection or answers with more than 6 MB
 * @see https://github.com/awslabs/aws-lambda-web-adapter
 */
export async function callServer(
  port: number,
  event: UrlEvent,
  { signal, sink }: { readonly signal: AbortSignal; readonly sink: Sink | undefined },
): Promise<UrlResult> {
  const response = await responseTo(port, event, signal);
  sink?.begin(resultOf(response, Buffer.alloc(0)));
  const most = sink ? MAX_STREAM_BYTES : MAX_PAYLOAD_BYTES;
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of response) {
      if (sink) await sink.write(chunk);
      else chunks.push(chunk);
      bytes += chunk.length;
      if (bytes > most) {
        throw new AdapterError(
          'Function.ResponseSizeTooLarge',
          `Response payload size exceeded maximum allowed payload size (${most} bytes).`,
        );
      }
    }
  } catch (cause) {
    if (cause instanceof AdapterError) throw cause;
    throw new AdapterError('Runtime.ExitError', 'The server ended the connection before its response.', { cause });
  }
  return resultOf(response, Buffer.concat(chunks));
}

function responseTo(port: number, event: UrlEvent, signal: AbortSignal): Promise<IncomingMessage> {
  const body = Buffer.from(event.body ?? '', event.isBase64Encoded ? 'base64' : 'utf8');
  const kept = Object.entries(event.headers).filter(([name]) => !HOP_BY_HOP.test(name) && name !== 'content-length');
  const headers = {
    ...Object.fromEntries(kept),
    ...(event.cookies.length > 0 && { cookie: event.cookies.join('; ') }),
    'x-amzn-request-context': JSON.stringify(event.requestContext),
    ...(body.length > 0 && { 'content-length': String(body.length) }),
  };
  const path = event.rawQueryString === '' ? event.rawPath : `${event.rawPath}?${event.rawQueryString}`;
  const { method } = event.requestContext.http;
  return new Promise((resolve, reject) => {
    // A connection per request: a kept one may be closed at the moment at which it is used again.
    const asked = request({ host: '127.0.0.1', port, method, path, headers, signal, agent: false }, resolve);
    asked.once('error', (cause) => {
      reject(new AdapterError('Runtime.ExitError', 'The server ended the connection without a response.', { cause }));
    });
    asked.end(body);
  });
}

function resultOf({ statusCode = 502, headers }: IncomingMessage, body: Buffer): UrlResult {
  const { 'set-cookie': cookies = [], ...rest } = headers;
  const kept = Object.entries(rest).filter(([name]) => !HOP_BY_HOP.test(name));
  const isText =
    headers['content-encoding'] === undefined &&
    /^(?:text\/|application\/(?:json|javascript|xml|[\w.]+\+(?:json|xml)))/.test(
      headers['content-type'] ?? 'text/plain',
    );
  return {
    statusCode,
    headers: Object.fromEntries(kept.map(([name, value]) => [name, String(value)])),
    cookies,
    body: body.toString(isText ? 'utf8' : 'base64'),
    isBase64Encoded: !isText,
  };
}
