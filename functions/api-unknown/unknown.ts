import type { HttpRequest } from '../api/http.ts';
import { type Route, routes } from '../api/routes.ts';
import { type ErrorCode, problem } from '../core/errors.ts';

/** A request that no endpoint answers. Its resource is the gateway's that matched: `/1/deploy`, `/1/{proxy+}`. */
type UnknownRequest = Pick<HttpRequest, 'method' | 'resource' | 'path' | 'uuid' | 'base'>;

/**
 * Returns `405 request:method_not_allowed` with `Allow` when the path has endpoints for other methods, and otherwise
 * `404 request:not_found`. No login is required; the response reveals nothing that is not documented.
 */
export async function answerUnknown(request: UnknownRequest) {
  const { method, path } = request;
  const allowed = methodsAt(request, routes);
  if (allowed.length === 0) {
    return refuse(request, 'request:not_found', `There is no endpoint at ${path}. GET /1/openapi lists the endpoints.`);
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

function refuse(request: UnknownRequest, code: ErrorCode, detail: string, more: { readonly allow?: string } = {}) {
  const headers: Readonly<Record<string, string>> = { ...more, 'content-type': 'application/problem+json' };
  const body = problem(code, detail, request);
  return { status: body.status, headers, body };
}
