import { afterEach, describe, expect, it, vi } from 'vitest';
import type { HttpAnswer } from '../../../../functions/api/http.ts';
import { DeployError } from '../../../../functions/core/errors.ts';
import { httpTrigger } from '../../../../functions/triggers/http.ts';
import { eventOrigin } from '../../../../functions/triggers/origins.ts';
import { context, type GivenRequest, proxyEvent } from '../../../support/events/aws-events.ts';

const ORIGIN = 'https://dashboard.example.com';
const stageVariables = { allowedOrigins: `http://localhost:5173,${ORIGIN}` };

async function call(event: GivenRequest, answer: () => Promise<HttpAnswer>) {
  const endpoint = vi.fn(answer);
  const handler = httpTrigger(endpoint);
  const result = await handler(proxyEvent({ httpMethod: 'GET', ...event }), context);
  return { ...result, endpoint };
}

const fine = async () => ({ status: 200, headers: { vary: 'accept' }, body: {} });
const refused = async () => {
  throw new DeployError('request:bad_parameter', 'The parameter limit must be a number.');
};

afterEach(() => vi.restoreAllMocks());

describe('a page of an allowed origin', () => {
  const headers = { Origin: ORIGIN };

  it.each([
    ['an answer', fine, 200, 'accept, origin'],
    ['an error', refused, 400, 'origin'],
  ])('may read %s with its headers', async (_what, answer, status, vary) => {
    const result = await call({ headers, stageVariables }, answer);
    expect(result.statusCode).toBe(status);
    expect(result.headers).toMatchObject({
      'access-control-allow-origin': ORIGIN,
      'access-control-expose-headers': expect.stringContaining('x-api-uuid'),
      'x-api-uuid': '6ad0ce5c-1f4d-4b0b-9d5e-0a2f3a4b5c6d',
      vary,
    });
    // Without it a browser adds no login of its own.
    expect(result.headers).not.toHaveProperty('access-control-allow-credentials');
  });

  it('has its preflight requests answered, without the endpoint', async () => {
    const asked = { 'access-control-request-method': 'PUT', 'access-control-request-headers': 'authorization' };
    const result = await call({ httpMethod: 'OPTIONS', headers: { ...headers, ...asked }, stageVariables }, fine);
    expect(result).toMatchObject({
      statusCode: 204,
      headers: {
        'access-control-allow-origin': ORIGIN,
        'access-control-allow-methods': 'POST, GET, DELETE, PATCH, PUT',
        'access-control-allow-headers': expect.stringMatching(/^authorization, content-type/),
        'x-api-uuid': '6ad0ce5c-1f4d-4b0b-9d5e-0a2f3a4b5c6d',
      },
    });
    expect(result.endpoint).not.toHaveBeenCalled();
  });

  it('may change something, as a page of the service may', async () => {
    const site = { ...headers, 'sec-fetch-site': 'cross-site' };
    expect((await call({ httpMethod: 'POST', headers: site, stageVariables }, fine)).statusCode).toBe(200);
  });
});

describe('any other page', () => {
  it.each([
    ['https://evil.example.org', stageVariables],
    ['https://dashboard.example.com.evil.org', stageVariables],
    ['null', stageVariables],
    ['', { allowedOrigins: '' }],
    [ORIGIN, null],
    [ORIGIN, {}],
  ])('of %j with the variables %j may read nothing', async (origin, variables) => {
    const event = { headers: { origin }, stageVariables: variables };
    expect(eventOrigin(event)).toBeNull();
    expect((await call(event, fine)).headers).not.toHaveProperty('access-control-allow-origin');
    const preflight = await call({ ...event, httpMethod: 'OPTIONS' }, refused);
    expect([preflight.statusCode, preflight.endpoint.mock.calls.length]).toEqual([400, 1]);
    const change = { ...event.headers, 'sec-fetch-site': 'cross-site' };
    expect((await call({ ...event, headers: change, httpMethod: 'POST' }, fine)).statusCode).toBe(401);
  });
});

it('A program, which has no origin, gets the same answer as without allowed origins', async () => {
  const { headers } = await call({ stageVariables }, fine);
  expect(Object.keys(headers ?? {}).sort()).toEqual(['content-type', 'vary', 'x-api-uuid', 'x-api-version']);
});
