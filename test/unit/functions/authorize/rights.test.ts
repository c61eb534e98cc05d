import { describe, expect, it } from 'vitest';
import { memoryFailures } from '../../../../functions/adapters/stores/memory/failure-memory.ts';
import { memoryRefusedCalls } from '../../../../functions/adapters/stores/memory/refused-calls.ts';
import { routes } from '../../../../functions/api/routes.ts';
import { authorizer } from '../../../../functions/authorize/authorize.ts';
import { basicHeader } from '../../../../functions/core/basic-auth.ts';
import { memoryAccounts } from '../../../fakes/accounts.ts';

const clock = { now: () => 0 };
const tokens = {
  reads: { name: 'dashboard', rights: 'read' },
  deploys: { name: 'ci', rights: 'deploy' },
  does: { name: 'laptop' },
} as const;
const accounts = memoryAccounts([{ user: 'kiwi', secrets: ['password', ...Object.keys(tokens)] }], tokens);
const ports = { accounts, clock, refused: memoryRefusedCalls(clock), failures: memoryFailures(clock), trace: () => {} };
const authorize = authorizer(ports);

const ask = (method: string, resource: string, secret: string) => {
  const authorization = basicHeader(`kiwi:${secret}`);
  const pathUser = resource.includes('{user}') ? 'kiwi' : undefined;
  return authorize({ resource, method, authorization, pathUser, address: '192.0.2.1' });
};

/** Returns the endpoints with a login that a secret may call. */
async function allowed(secret: string): Promise<readonly string[]> {
  const all = routes.filter(({ login }) => login !== 'none');
  const asked = await Promise.all(
    all.map(async (route) => ({ route, decision: await ask(route.method, route.path, secret) })),
  );
  return asked.flatMap(({ route, decision }) =>
    'allowed' in decision && decision.allowed ? [`${route.method} ${route.path}`] : [],
  );
}

describe('a token with limited rights', () => {
  it('that may read gets what only reads, without the output of commands, of which each piece is read once', async () => {
    const mayRead = await allowed('reads');
    expect(mayRead.length).toBeGreaterThan(10);
    expect(mayRead.filter((one) => !one.startsWith('GET '))).toEqual([]);
    expect(mayRead).not.toContain('GET /1/apps/{user}/{application}/runs/{run}');
  });

  it('that may deploy does that too, and releases, cancels and rolls back', async () => {
    const more = await allowed('deploys');
    const mayRead = await allowed('reads');
    expect(mayRead.filter((one) => !more.includes(one))).toEqual([]);
    expect(more.filter((one) => !mayRead.includes(one)).sort()).toEqual([
      'POST /',
      'POST /1/apps/{user}',
      'POST /1/apps/{user}/{application}/deploy',
      'POST /1/apps/{user}/{application}/reconcile',
      'POST /1/apps/{user}/{application}/redeploy',
      'POST /1/apps/{user}/{application}/rollback',
      'POST /1/deploy',
      'POST /1/status/{user}/changes/{id}/cancel',
      'POST /1/status/{user}/changes/{id}/release',
    ]);
  });

  it('is told what it may; others may do everything', async () => {
    const restart = ['POST', '/1/apps/{user}/{application}/restart'] as const;
    expect(await ask(...restart, 'reads')).toEqual({
      forbidden: 'The API token dashboard may only read. Use another token, or the password.',
    });
    expect(await ask(...restart, 'does')).toEqual({ allowed: true, user: 'kiwi', token: { name: 'laptop' } });
    expect(await ask(...restart, 'password')).toEqual({ allowed: true, user: 'kiwi' });
    expect(await allowed('does')).toEqual(await allowed('password'));
  });

  it('does not get into what is of another user, nor in when it is revoked', async () => {
    const authorization = basicHeader('kiwi:reads');
    const other = { resource: '/1/status/{user}/webhooks', method: 'GET', authorization, pathUser: 'ann', address: '' };
    expect(await authorize(other)).toMatchObject({ code: 'mw:auth:not_you' });
    accounts.revoke('kiwi', 'deploys');
    expect(
      await authorizer(ports)({ ...other, pathUser: 'kiwi', authorization: basicHeader('kiwi:deploys') }),
    ).toMatchObject({
      code: 'mw:auth:unauthorized',
    });
  });
});
