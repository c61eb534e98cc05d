import { type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http';

/** Of requests, and of responses to Invoke: https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html */
export const MAX_PAYLOAD_BYTES = 6 * 1024 * 1024;
/** Of responses that are streamed: https://docs.aws.amazon.com/lambda/latest/dg/config-rs-invoke-furls.html */
export const MAX_STREAM_BYTES = 200 * 1024 * 1024;

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

/** A request to the server of a function. */
export interface ServerRequest {
  readonly method: string;
  /** With its query. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** The head of a response. */
interface ResponseHead {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly cookies: readonly string[];
}

/** Takes a response while it comes. */
export interface Sink {
  begin(head: ResponseHead): void;
  write(chunk: Buffer): Promise<void>;
  /** The limit of its body. */
  readonly mostBytes: number;
}

/** Headers of one connection, which are not passed on. */
const HOP_BY_HOP = /^(?:connection|keep-alive|transfer-encoding|upgrade|te|trailer|proxy-.*)$/;

/**
 * Sends a request to a server on a port of 127.0.0.1, and passes the response on while it comes, as the Lambda Web Adapter
 * does on AWS in the mode `response_stream`.
 *
 * @throws AdapterError when the server ends the connection or answers with more than the sink takes
 * @see https://github.com/awslabs/aws-lambda-web-adapter
 */
export async function callServer(port: number, asked: ServerRequest, signal: AbortSignal, sink: Sink): Promise<void> {
  const response = await responseTo(port, asked, signal);
  sink.begin(headOf(response));
  let bytes = 0;
  try {
    for await (const chunk of response) {
      await sink.write(chunk);
      bytes += chunk.length;
      if (bytes > sink.mostBytes) {
        throw new AdapterError(
          'Function.ResponseSizeTooLarge',
          `Response payload size exceeded maximum allowed payload size (${sink.mostBytes} bytes).`,
        );
      }
    }
  } catch (cause) {
    if (cause instanceof AdapterError) throw cause;
    throw new AdapterError('Runtime.ExitError', 'The server ended the connection before its response.', { cause });
  }
}

function responseTo(
  port: number,
  { method, path, headers: given, body }: ServerRequest,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const kept = Object.entries(given).filter(([name]) => !HOP_BY_HOP.test(name) && name !== 'content-length');
  const headers = { ...Object.fromEntries(kept), ...(body.length > 0 && { 'content-length': body.length }) };
  return new Promise((resolve, reject) => {
    // A connection per request: a kept one may be closed at the moment at which it is used again.
    const asked = request({ host: '127.0.0.1', port, method, path, headers, signal, agent: false }, resolve);
    asked.once('error', (cause) => {
      reject(new AdapterError('Runtime.ExitError', 'The server ended the connection without a response.', { cause }));
    });
    asked.end(body);
  });
}

function headOf({ statusCode = 502, headers }: IncomingMessage): ResponseHead {
  const { 'set-cookie': cookies = [], ...rest } = headers;
  const kept = Object.entries(rest).filter(([name]) => !HOP_BY_HOP.test(name));
  return { statusCode, headers: Object.fromEntries(kept.map(([name, value]) => [name, String(value)])), cookies };
}
