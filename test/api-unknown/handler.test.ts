import type { APIGatewayProxyEvent, Context } from 'aws-lambda';
import { expect, it } from 'vitest';
import { handler } from '../../functions/api-unknown/handler.ts';
import packageJson from '../../package.json' with { type: 'json' };

const uuid = '6ad0ce5c-1f4d-4b0b-9d5e-0a2f3a4b5c6d';
const event = {
  httpMethod: 'GET',
  resource: '/1/deploy',
  path: '/1/deploy',
  headers: {},
  queryStringParameters: null,
  pathParameters: null,
  body: null,
  isBase64Encoded: false,
  requestContext: { requestId: uuid, path: '/live/1/deploy', domainName: 'api.example.com' },
};

it('The handler answers a wrong method in the shape of every answer', async () => {
  const answer = await handler(event as unknown as APIGatewayProxyEvent, {} as Context);
  expect(answer.statusCode).toBe(405);
  expect(answer.headers).toEqual({
    allow: 'POST',
    'content-type': 'application/problem+json',
    'x-api-uuid': uuid,
    'x-api-version': packageJson.version,
  });
  expect(JSON.parse(answer.body)).toMatchObject({ code: 'request:method_not_allowed', status: 405, uuid });
});
