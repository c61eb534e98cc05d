import { breakdown, type RequestContext } from './failures.ts';
import type { HttpResponse } from './http/http-client.ts';

/** Yields the body of a response. Failures while reading become errors of the request's context. */
export async function* tarballStream(
  response: HttpResponse,
  requestContext: RequestContext,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  try {
    for await (const chunk of response.body) {
      // A short body may have arrived completely before the abort, and reading it would not fail.
      signal.throwIfAborted();
      yield chunk;
    }
    signal.throwIfAborted();
  } catch (cause) {
    throw breakdown(requestContext, signal.aborted ? signal.reason : cause);
  }
}
