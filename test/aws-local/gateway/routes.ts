import { OperatorError } from '../../../lib/files/errors.ts';
import type { Method } from './rest-api.ts';

/** A request's method of the API, with the values of its path parameters, percent-decoded as API Gateway does. */
export interface MatchedRoute {
  readonly method: Method;
  readonly pathParameters: Readonly<Record<string, string>> | null;
}

/**
 * Compiles the methods of an API into a lookup by method and raw path. The most specific resource wins: a literal
 * before `{parameter}`; the method is selected after the resource, by name or `ANY`. A trailing slash makes no
 * difference.
 *
 * @see https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-method-settings-method-request.html
 */
export function compileRoutes(
  methods: readonly Method[],
): (httpMethod: string, path: string) => MatchedRoute | undefined {
  const greedy = methods.find(({ resourcePath }) => resourcePath.includes('+}'));
  if (greedy) throw new OperatorError(`${greedy.resourcePath}: a parameter that takes the rest is not emulated`);
  // In this order a brace comes after every literal.
  const paths = [...new Set(methods.map(({ resourcePath }) => resourcePath))].sort();
  const resources = paths.map((path) => ({
    parts: segmentsOf(path),
    methods: new Map(methods.filter((one) => one.resourcePath === path).map((one) => [one.httpMethod, one])),
  }));
  return (httpMethod, path) => {
    if (!path.startsWith('/')) return undefined;
    const segments = segmentsOf(path).map(decode);
    for (const { parts, methods } of resources) {
      const parameters = parametersOf(parts, segments);
      if (!parameters) continue;
      const method = methods.get(httpMethod) ?? methods.get('ANY');
      return method && { method, pathParameters: parameters.length > 0 ? Object.fromEntries(parameters) : null };
    }
  };
}

/** Returns the values of the parameters in a path; undefined when the segments are not of it. */
function parametersOf(parts: readonly string[], segments: readonly string[]): [string, string][] | undefined {
  if (parts.length !== segments.length) return undefined;
  const parameters: [string, string][] = [];
  for (const [at, part] of parts.entries()) {
    const segment = segments[at] ?? '';
    const [, name] = /^\{([^}]+)\}$/.exec(part) ?? [];
    if (name === undefined ? segment !== part : segment === '') return undefined;
    if (name !== undefined) parameters.push([name, segment]);
  }
  return parameters;
}

function segmentsOf(path: string): string[] {
  const inner = path.replace(/^\//, '').replace(/\/$/, '');
  return inner === '' ? [] : inner.split('/');
}

function decode(segment: string): string {
  if (!segment.includes('%')) return segment;
  try {
    return decodeURIComponent(segment);
  } catch {
    // Invalid percent-encoding: the function gets the value as sent.
    return segment;
  }
}
