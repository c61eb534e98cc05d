import type { Problem } from '../api/shapes/problems.ts';
import { type ErrorCode, problem } from '../core/errors.ts';
import { type Route, routes } from '../core/routes.ts';

/** A request that no endpoint answers. */
interface UnknownRequest {
  readonly method: string;
  /** The gateway's resource that matched, with variables in braces: `/1/deploy`, `/1/{proxy+}`. */
  readonly resource: string;
  readonly path: string;
  readonly uuid: string;
  /** The service's address in this request. */
  readonly base: string;
}

/** A problem document and, when only the method is wrong, the header `Allow`. */
interface UnknownAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Problem;
}

/**
 * Returns `405 request:method_not_allowed` with `Allow` when the path has endpoints for other methods, and otherwise
 * `404 request:not_found`. No login is required; the response reveals nothing that is not documented.
 */
export async function answerUnknown(request: UnknownRequest): Promise<UnknownAnswer> {
  const { method, path } = request;
  const allowed = methodsAt(request, routes);
  if (allowed.length === 0) {
    return refuse(request, 'request:not_found', `There is no endpoint at ${path}. The README lists the endpoints.`);
  }
  const allow = allowed.join(', ');
  return refuse(request, 'request:method_not_allowed', `${path} does not take ${method}. Send ${allow}.`, { allow });
}

/** For API Gateway `/1/nothing` is the badge of a user called `1`, because there is no other resource for it. */
function methodsAt({ resource, path }: UnknownRequest, known: readonly Route[]): string[] {
  const start = (of: string) => of.split('/')[1];
  if (resource.startsWith('/{') && known.some((one) => one.path !== resource && start(one.path) === start(path)))
    return [];
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
