import { describe, expect, it } from 'vitest';
import { type Gateway, startGateway } from '../../../aws-local/gateway/gateway.ts';
import { stageThrottle } from '../../../aws-local/strict/stage-throttle.ts';
import { apiTemplate } from '../../../support/aws-local/api-fixture.ts';
import { templateOf } from '../../../support/aws-local/template-fixture.ts';

const all = { ResourcePath: '/*', HttpMethod: '*', ThrottlingRateLimit: 10, ThrottlingBurstLimit: 3 };
const orders = {
  ...{ ResourcePath: '/~1orders~1{id}', HttpMethod: 'POST' },
  ...{ ThrottlingRateLimit: 1, ThrottlingBurstLimit: 1 },
};

/** A throttle at a time that the test sets, and how many of ten requests it admits. */
function throttled(...MethodSettings: object[]) {
  const clock = { ms: 0 };
  const admits = stageThrottle(templateOf({ Stage: ['AWS::ApiGateway::Stage', { MethodSettings }] }), () => clock.ms);
  const often = (httpMethod: string, resourcePath: string) =>
    Array.from({ length: 10 }, () => admits({ httpMethod, resourcePath })).filter(Boolean).length;
  return { clock, often };
}

describe('The throttle of a stage', () => {
  it('each method has as many requests at once as the burst, and then as many a second as the rate', () => {
    const { clock, often } = throttled(all);
    expect([often('GET', '/a'), often('GET', '/a'), often('POST', '/a')]).toEqual([3, 0, 3]);
    clock.ms += 200;
    expect(often('GET', '/a')).toBe(2);
    clock.ms += 60_000;
    expect(often('GET', '/a')).toBe(3);
  });

  it('a method with settings of its own has these limits', () => {
    const { often } = throttled(all, orders);
    expect([often('POST', '/orders/{id}'), often('GET', '/orders/{id}'), often('POST', '/')]).toEqual([1, 3, 3]);
  });

  it('a request beyond it is 429, before the authorizer is asked', async () => {
    const asked: string[] = [];
    const gateway: Gateway = await startGateway({
      template: apiTemplate({ 'GET /a': { function: 'a', login: true } }),
      functions: {
        invoke: async (name) => asked.push(name),
        invokeStreaming: () => expect.fail('no streams here'),
      },
      admits: ({ httpMethod, resourcePath }) => `${httpMethod} ${resourcePath}` !== 'GET /a',
      port: 0,
    });
    try {
      const answer = await fetch(`${gateway.url}/a`, { headers: { authorization: 'Basic YTpi' } });
      expect([answer.status, await answer.json(), asked]).toEqual([429, { message: 'Too Many Requests' }, []]);
    } finally {
      await gateway.close();
    }
  });
});
