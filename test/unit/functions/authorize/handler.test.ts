import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { basicHeader } from '../../../../functions/core/basic-auth.ts';
import { server } from '../../../support/api-server.ts';

const event = {
  methodArn: 'arn:aws:execute-api:us-east-1:000000000000:api/prod/POST/1/deploy',
  resource: '/1/deploy',
  headers: { authorization: basicHeader(`kiwi:dwt_${'a'.repeat(40)}`) },
  pathParameters: null,
  requestContext: { identity: { sourceIp: '192.0.2.1' } },
};

beforeEach(() => {
  vi.stubEnv('PLATFORM', 'http');
  vi.stubEnv('AWS_REGION', 'us-east-1');
  vi.stubEnv('CONNECTIONS_TABLE', 'connections');
});
afterEach(() => {
  vi.unstubAllEnvs();
  vi.resetModules();
});

describe('the function authorize', () => {
  it('checks logins at PLATFORM_URL', async () => {
    const url = await server((request, response) => {
      response.end(JSON.stringify(request.url === '/auth' ? { user: 'kiwi' } : { username: 'kiwi' }));
    });
    vi.stubEnv('PLATFORM_URL', `${url}/`);
    const { handler } = await import('../../../../functions/authorize/handler.ts');
    expect(await handler(event)).toMatchObject({ principalId: 'kiwi', context: { user: 'kiwi' } });
  });

  it('fails to start without PLATFORM_URL, naming the variable', async () => {
    vi.stubEnv('PLATFORM_URL', undefined);
    await expect(import('../../../../functions/authorize/handler.ts')).rejects.toThrow('PLATFORM_URL');
  });

  it('fails to start when PLATFORM_URL contains credentials, without quoting them', async () => {
    vi.stubEnv('PLATFORM_URL', 'https://kiwi:hunter2@platform.example.com');
    const start = import('../../../../functions/authorize/handler.ts');
    await expect(start).rejects.toThrow('without credentials');
    await expect(start).rejects.not.toThrow('hunter2');
  });
});
