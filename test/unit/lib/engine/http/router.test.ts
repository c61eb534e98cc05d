import { describe, expect, it } from 'vitest';
import { routes } from '../../../../../functions/api/routes.ts';
import { compileRoutes } from '../../../../../lib/engine/http/router.ts';

const route = compileRoutes(routes);

describe('the route of a request', () => {
  it.each([
    ['GET', '/', 'api-page', '/', {}],
    ['POST', '/', 'api-deploy', '/', {}],
    ['POST', '/1/deploy/', 'api-deploy', '/1/deploy', {}],
    ['POST', '/%31/de%70loy', 'api-deploy', '/1/deploy', {}],
    ['GET', '/1/auth/tokens', 'api-tokens', '/1/auth/tokens', {}],
    ['GET', '/1/auth/github', 'api-pair', '/1/auth/{host}', { host: 'github' }],
    ['GET', '/1/apps/a%2Fb/x', 'api-apps', '/1/apps/{user}/{application}', { user: 'a%2Fb', application: 'x' }],
    ['GET', '/ann/shop.svg', 'api-badge', '/{user}/{repository}', { user: 'ann', repository: 'shop.svg' }],
    ['GET', '/1/apps/__proto__', 'api-apps', '/1/apps/{user}', { user: '__proto__' }],
  ])('%s %s is answered by %s', (method, path, name, resource, variables) => {
    expect(route(method, path)).toMatchObject({ route: { function: name }, resource, variables });
  });

  it.each([
    ['DELETE', '/1/deploy', '/1/deploy'],
    ['DELETE', '/1/auth/tokens', '/1/auth/tokens'],
    ['HEAD', '/1/openapi.json', '/1/openapi.json'],
  ])('%s %s has a path and no route', (method, path, resource) => {
    expect(route(method, path)).toMatchObject({ route: undefined, resource });
  });

  it.each([
    // A literal part wins, also over the badge of a user `1` or `errors`.
    '/1/nothing',
    '/errors/nothing',
    '/nothing',
    '/1',
    '/1/deploy/more',
    '/ann/shop/more',
    '///',
    '/1//deploy',
    '/ann//',
    '*',
    '',
  ])('%j is the path of no route', (path) => {
    expect(route('GET', path)).toMatchObject({ route: undefined, resource: '' });
  });
});
