import type { Route } from '../../functions/core/routes.ts';

/**
 * Returns the paths that answer unknown paths and methods: every known path and each of its parents, for the other
 * methods, and below each of them `{proxy+}`, for everything else.
 *
 * One `/{proxy+}` at the root is not enough: API Gateway refuses it beside `/{user}` ("only one variable path part is
 * allowed"), and a request that matches `/1` does not return to the root. Where a path already has a variable below it,
 * that variable matches everything.
 */
export function unknownPaths(routes: readonly Route[]): string[] {
  const known = [...new Set(routes.flatMap(({ path }) => withParents(path)))].sort();
  const closed = known.filter((path) => !known.some((other) => isVariableOf(path, other)));
  return [...known, ...closed.map((path) => join(path, '{proxy+}'))];
}

function withParents(path: string): string[] {
  const parts = path.split('/').filter((part) => part !== '');
  return [...parts.keys(), parts.length].map((length) => `/${parts.slice(0, length).join('/')}`);
}

function isVariableOf(parent: string, path: string): boolean {
  return path.startsWith(join(parent, '{')) && !path.slice(join(parent, '{').length).includes('/');
}

function join(parent: string, part: string): string {
  return parent === '/' ? `/${part}` : `${parent}/${part}`;
}
