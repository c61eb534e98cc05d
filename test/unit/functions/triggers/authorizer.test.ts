import { afterEach, describe, expect, it, vi } from 'vitest';
import { DeployError, errors } from '../../../../functions/core/errors.ts';
import type { LoginDecision, LoginRequest } from '../../../../functions/core/login.ts';
import { type AuthorizerEvent, authorizerTrigger } from '../../../../functions/triggers/authorizer.ts';

const methodArn = 'arn:aws:execute-api:us-east-1:000000000000:api/prod/GET/1/status/kiwi/webhooks';

function event(fields: Partial<AuthorizerEvent> = {}): AuthorizerEvent {
  return {
    methodArn,
    resource: '/1/status/{user}/webhooks',
    httpMethod: 'POST',
    headers: { Authorization: 'Basic a2l3aTpzZWNyZXQ=' },
    pathParameters: { user: 'kiwi' },
    requestContext: { identity: { sourceIp: '192.0.2.1' } },
    ...fields,
  };
}

function deciding(verdict: LoginDecision) {
  const seen: LoginRequest[] = [];
  const handler = authorizerTrigger(async (request) => {
    seen.push(request);
    return verdict;
  });
  return { handler, seen };
}

const allowed: LoginDecision = { allowed: true, user: 'kiwi' };

afterEach(() => vi.restoreAllMocks());

describe('the authorizer', () => {
  it('passes route, user, header and the address of the client on', async () => {
    const { handler, seen } = deciding(allowed);
    await handler(event());
    expect(seen).toEqual([
      {
        resource: '/1/status/{user}/webhooks',
        method: 'POST',
        pathUser: 'kiwi',
        authorization: 'Basic a2l3aTpzZWNyZXQ=',
        address: '192.0.2.1',
        agent: undefined,
      },
    ]);
  });

  it('names the token of the login with its rights, and allows without a user what that may not do', async () => {
    const { handler } = deciding({ ...allowed, token: { name: 'ci', rights: 'deploy' } });
    expect((await handler(event())).context).toEqual({ user: 'kiwi', token: 'ci', rights: 'deploy' });
    const refused = await deciding({ forbidden: 'It may only read.' }).handler(event());
    expect(refused).toMatchObject({ principalId: 'unknown', context: { forbidden: 'It may only read.' } });
    expect(refused.context).not.toHaveProperty('user');
  });

  it('finds the header in any spelling', async () => {
    const { handler, seen } = deciding(allowed);
    await handler(event({ headers: { host: 'x', aUTHORIZATION: 'Basic eA==' } }));
    expect(seen[0]?.authorization).toBe('Basic eA==');
  });

  it('takes an event without headers and parameters for a request without them', async () => {
    const { handler, seen } = deciding(allowed);
    await handler(event({ headers: null, pathParameters: null }));
    expect(seen[0]).toMatchObject({ pathUser: undefined, authorization: undefined });
  });

  it('allows this method of the API and names the user', async () => {
    const { handler } = deciding(allowed);
    expect(await handler(event())).toEqual({
      principalId: 'kiwi',
      policyDocument: {
        Version: '2012-10-17',
        Statement: [{ Action: 'execute-api:Invoke', Effect: 'Allow', Resource: methodArn }],
      },
      context: { user: 'kiwi' },
    });
  });

  it('denies with code, title and detail', async () => {
    const { handler } = deciding({ allowed: false, code: 'mw:auth:not_you', detail: 'Use your own name.' });
    const result = await handler(event());
    expect(result.policyDocument.Statement[0]).toMatchObject({ Effect: 'Deny', Resource: methodArn });
    expect(result.context).toEqual({
      code: 'mw:auth:not_you',
      title: errors['mw:auth:not_you'].title,
      detail: 'Use your own name.',
    });
  });

  it('says nothing that would break the JSON of the gateway', async () => {
    const detail = 'a "quoted" \\ line\r\nand \u2028 another\u0000';
    const { handler } = deciding({ allowed: false, code: 'mw:auth:unauthorized', detail });
    const { context } = await handler(event());
    expect(JSON.parse(`{"detail":"${context?.detail}"}`)).toEqual({ detail: 'a quoted line and another' });
  });

  it('allows a login that cannot be checked now, without a user, for the function to answer 429', async () => {
    expect(await deciding({ throttledSeconds: 7 }).handler(event())).toMatchObject({
      principalId: 'unknown',
      policyDocument: { Statement: [{ Effect: 'Allow' }] },
      context: { throttled: '7' },
    });
  });

  it('lets what the decision throws come out, so that the gateway answers AUTHORIZER_FAILURE', async () => {
    const error = new DeployError('mw:auth:auth_server_down', 'The platform did not answer.');
    const handler = authorizerTrigger(async () => {
      throw error;
    });
    await expect(handler(event())).rejects.toBe(error);
  });

  it('writes nothing to the log', async () => {
    const written = [vi.spyOn(process.stdout, 'write'), vi.spyOn(process.stderr, 'write')];
    const logged = (['log', 'info', 'warn', 'error', 'debug'] as const).map((name) => vi.spyOn(console, name));
    await deciding(allowed).handler(event());
    await deciding({ allowed: false, code: 'mw:auth:unauthorized', detail: 'No.' }).handler(event());
    for (const spy of [...written, ...logged]) expect(spy).not.toHaveBeenCalled();
  });
});

describe('the authorizer of a socket', () => {
  const handshake = (headers: Record<string, string>) => ({
    methodArn: 'arn:aws:execute-api:::ws/live/$connect',
    headers,
    requestContext: { identity: { sourceIp: '192.0.2.1' } },
  });

  it('takes the login of the header, or of a subprotocol, which is all that a browser can set', async () => {
    const { handler, seen } = deciding(allowed);
    await handler(handshake({ 'Sec-WebSocket-Protocol': 'changes, basic.a2l3aTpzZWNyZXQ' }));
    await handler(handshake({ authorization: 'Basic eA==', 'sec-websocket-protocol': 'basic.a2l3aTpzZWNyZXQ' }));
    await handler(handshake({ 'sec-websocket-protocol': 'changes' }));
    expect(seen.map(({ authorization }) => authorization)).toEqual(['Basic a2l3aTpzZWNyZXQ', 'Basic eA==', undefined]);
    for (const request of seen) expect(request).toMatchObject({ resource: '$connect', pathUser: undefined });
  });

  it.each(['https://shop.apps.example.com', 'null'])(
    'takes only the login of a subprotocol from the page %s, because the browser adds the header',
    async (origin) => {
      const { handler, seen } = deciding(allowed);
      const page = { Origin: origin, Host: 'signals.example.com', Authorization: 'Basic eA==' };
      await handler(handshake(page));
      await handler(handshake({ ...page, 'Sec-WebSocket-Protocol': 'changes, basic.a2l3aTpzZWNyZXQ' }));
      expect(seen.map(({ authorization }) => authorization)).toEqual([undefined, 'Basic a2l3aTpzZWNyZXQ']);
    },
  );

  it('takes the login of the header from a program that names the WebSocket itself as its origin', async () => {
    const { handler, seen } = deciding(allowed);
    const own = { origin: 'https://signals.example.com', host: 'signals.example.com' };
    await handler(handshake({ ...own, authorization: 'Basic eA==' }));
    expect(seen[0]?.authorization).toBe('Basic eA==');
  });

  it('takes no login of a subprotocol where it is no socket', async () => {
    const { handler, seen } = deciding(allowed);
    await handler(event({ headers: { 'sec-websocket-protocol': 'basic.a2l3aTpzZWNyZXQ' } }));
    expect(seen[0]?.authorization).toBeUndefined();
  });
});
