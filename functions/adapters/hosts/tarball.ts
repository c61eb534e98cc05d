import { breakdown, type RequestContext } from './failures.ts';
import type { HttpResponse } from './http-client.ts';

/** The body of an answer, chunk by chunk, whose failures under way are the attempt's errors. */
export async function* tarballStream(
  response: HttpResponse,
  requestContext: RequestContext,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  try {
    for await (const chunk of response.body) {
      // A short body may be here whole by then, and would not fail any more.
      signal.throwIfAborted();
      yield chunk;
    }
    signal.throwIfAborted();
  } catch (cause) {
    throw breakdown(requestContext, signal.aborted ? signal.reason : cause);
  }
}
