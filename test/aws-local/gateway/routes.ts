import { OperatorError } from '../../../lib/files/errors.ts';
import type { Method } from './rest-api.ts';

/** A request's method of the API, with the values of its path parameters, percent-decoded as API Gateway does. */
export interface MatchedRoute {
  readonly method: Method;
  readonly pathParameters: Readonly<Record<string, string>> | null;
}

interface Node {
  readonly literals: Map<string, Node>;
  readonly methods: Map<string, Method>;
  parameter?: { readonly name: string; readonly node: Node };
}

type Found = { readonly node: Node; readonly parameters: ReadonlyArray<readonly [string, string]> };

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
  const root = newNode();
  for (const method of methods) nodeFor(root, segmentsOf(method.resourcePath)).methods.set(method.httpMethod, method);
  return (httpMethod, path) => {
    if (!path.startsWith('/')) return undefined;
    const found = find(root, segmentsOf(path).map(decode), 0);
    const method = found?.node.methods.get(httpMethod) ?? found?.node.methods.get('ANY');
    if (!found || !method) return undefined;
    return { method, pathParameters: found.parameters.length > 0 ? Object.fromEntries(found.parameters) : null };
  };
}

function find(node: Node, segments: readonly string[], at: number): Found | undefined {
  const segment = segments[at];
  if (segment === undefined) return node.methods.size > 0 ? { node, parameters: [] } : undefined;
  const literal = node.literals.get(segment);
  return (literal && find(literal, segments, at + 1)) ?? findParameter(node, segments, at);
}

function findParameter({ parameter }: Node, segments: readonly string[], at: number): Found | undefined {
  const segment = segments[at];
  if (!parameter || !segment) return undefined;
  const rest = find(parameter.node, segments, at + 1);
  return rest && { node: rest.node, parameters: [[parameter.name, segment], ...rest.parameters] };
}

function nodeFor(root: Node, parts: readonly string[]): Node {
  return parts.reduce((node, part) => {
    const [, name] = /^\{([^}]+)\}$/.exec(part) ?? [];
    if (name === undefined) return literalOf(node, part);
    if (name.endsWith('+')) throw new OperatorError(`${part} in a path is not emulated`);
    node.parameter ??= { name, node: newNode() };
    return node.parameter.node;
  }, root);
}

function literalOf(node: Node, part: string): Node {
  const known = node.literals.get(part) ?? newNode();
  node.literals.set(part, known);
  return known;
}

function newNode(): Node {
  return { literals: new Map(), methods: new Map() };
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
