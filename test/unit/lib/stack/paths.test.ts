import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Route, routes } from '../../../../functions/core/routes.ts';
import { unknownPaths } from '../../../../lib/stack/paths.ts';

const route = (path: string): Route => ({ method: 'GET', path, function: 'api-status', login: 'user' });

/** What API Gateway does at each part of a path: a resource of that name, else a variable, else everything below. */
function resourceFor(resources: readonly string[], path: string): string | undefined {
  let found = '';
  for (const part of path.split('/').filter((one) => one !== '')) {
    if (found.endsWith('{proxy+}')) return found;
    const children = resources.filter(
      (one) => one.startsWith(`${found}/`) && !one.slice(found.length + 1).includes('/'),
    );
    const named = children.find((one) => one === `${found}/${part}`);
    const variable = children.find((one) => one.startsWith(`${found}/{`));
    if (!named && !variable) return undefined;
    found = named ?? variable ?? '';
  }
  return found === '' ? '/' : found;
}

describe('the paths for unknown requests', () => {
  it('are each known path, its parents, and everything below', () => {
    expect(unknownPaths([route('/1/deploy')])).toEqual([
      '/',
      '/1',
      '/1/deploy',
      '/{proxy+}',
      '/1/{proxy+}',
      '/1/deploy/{proxy+}',
    ]);
  });

  it('have no {proxy+} beside another variable, because API Gateway allows only one', () => {
    expect(unknownPaths([route('/{user}/{repository}')])).toEqual([
      '/',
      '/{user}',
      '/{user}/{repository}',
      '/{user}/{repository}/{proxy+}',
    ]);
  });

  it('have at most one variable per parent', () => {
    const variables = unknownPaths(routes).filter((path) => path.endsWith('}'));
    const parents = variables.map((path) => path.slice(0, path.lastIndexOf('/')));
    expect(new Set(parents).size).toBe(parents.length);
  });

  it('match every path', () => {
    const resources = unknownPaths(routes);
    const part = fc.constantFrom('1', 'status', 'webhooks', 'changes', 'badge', 'deploy', 'someone', 'thing');
    fc.assert(
      fc.property(fc.array(part, { maxLength: 7 }), (parts) => {
        expect(resourceFor(resources, `/${parts.join('/')}`)).toBeDefined();
      }),
    );
  });
});
