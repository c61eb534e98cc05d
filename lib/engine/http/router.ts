import type { Route } from '../../../functions/api/routes.ts';

/** The route of a request; undefined when no endpoint answers its path and method. */
export interface Matched {
  readonly route: Route | undefined;
  /** The path as the table of routes declares it, with variables in braces; empty for one that it does not have. */
  readonly resource: string;
  /** The values of the path's variables, still percent-encoded. */
  readonly variables: Readonly<Record<string, string>>;
}

interface Node {
  readonly literals: Map<string, Node>;
  readonly routes: Map<string, Route>;
  variable?: { readonly name: string; readonly node: Node };
  path: string;
}

const UNKNOWN: Matched = { route: undefined, resource: '', variables: {} };

/**
 * Returns a lookup by method and raw path. As in API Gateway a literal part wins over a variable one, also when
 * nothing matches below it, and a slash at the end makes no difference.
 */
export function compileRoutes(routes: readonly Route[]): (method: string, path: string) => Matched {
  const root = newNode();
  for (const route of routes) {
    const node = segmentsOf(route.path).reduce(childOf, root);
    node.path = route.path;
    node.routes.set(route.method, route);
  }
  return (method, path) => (path.startsWith('/') ? find(root, method, segmentsOf(path)) : UNKNOWN);
}

function find(root: Node, method: string, segments: readonly string[]): Matched {
  const variables: Record<string, string> = {};
  let node = root;
  for (const segment of segments) {
    const literal = node.literals.get(decodedPart(segment));
    const { variable } = node;
    if (!literal && (!variable || segment === '')) return UNKNOWN;
    if (!literal && variable) variables[variable.name] = segment;
    node = literal ?? variable?.node ?? node;
  }
  return { route: node.routes.get(method), resource: node.path, variables };
}

function childOf(node: Node, part: string): Node {
  const [, name] = /^\{(.+)\}$/.exec(part) ?? [];
  if (name !== undefined) {
    node.variable ??= { name, node: newNode() };
    return node.variable.node;
  }
  const child = node.literals.get(part) ?? newNode();
  node.literals.set(part, child);
  return child;
}

function newNode(): Node {
  return { literals: new Map(), routes: new Map(), path: '' };
}

function segmentsOf(path: string): string[] {
  const inner = path.replace(/^\//, '').replace(/\/$/, '');
  return inner === '' ? [] : inner.split('/');
}

/** Returns a part of a path, percent-decoded, or as it was sent when it cannot be decoded. */
export function decodedPart(part: string): string {
  if (!part.includes('%')) return part;
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
