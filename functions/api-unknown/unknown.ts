import { type ErrorCode, type Problem, problem } from '../core/errors.ts';
import { type Route, routes } from '../core/routes.ts';

/** A request that no endpoint answers. */
export interface UnknownRequest {
  readonly method: string;
  /** The resource of the gateway that it came to, variables in braces: `/1/deploy`, `/1/{proxy+}`. */
  readonly resource: string;
  readonly path: string;
  readonly uuid: string;
  /** The service's address as this request met it. */
  readonly base: string;
}

/** Says why: a problem document and, when only the method is wrong, the methods that are right. */
export interface UnknownAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Problem;
}

/**
 * Answers what has no endpoint: `405 request:method_not_allowed` with `Allow` at the path of one that takes other
 * methods, else `404 request:not_found`. Asks for no login, and tells nothing that the documentation does not.
 */
export async function answerUnknown(request: UnknownRequest): Promise<UnknownAnswer> {
  const { method, path } = request;
  const allowed = methodsAt(request.resource, routes);
  if (allowed.length === 0) {
    return refuse(request, 'request:not_found', `No endpoint is at ${path}. The README lists the endpoints.`);
  }
  const allow = allowed.join(', ');
  return refuse(request, 'request:method_not_allowed', `${path} does not take ${method}. Send ${allow}.`, { allow });
}

function methodsAt(resource: string, known: readonly Route[]): string[] {
  return known.filter((route) => route.path === resource).map((route) => route.method);
}

function refuse(
  request: UnknownRequest,
  code: ErrorCode,
  detail: string,
  headers: Readonly<Record<string, string>> = {},
): UnknownAnswer {
  const body = problem(code, detail, request);
  return { status: body.status, headers: { ...headers, 'content-type': 'application/problem+json' }, body };
}
