import { expect, it } from 'vitest';
import { handler } from '../../../../functions/api-unknown/handler.ts';
import packageJson from '../../../../package.json' with { type: 'json' };
import { context, proxyEvent, uuid } from '../../../support/events/aws-events.ts';

it('The function api-unknown answers a wrong method with a problem document, as all endpoints do', async () => {
  const answer = await handler(proxyEvent({ httpMethod: 'GET' }), context);
  expect(answer.statusCode).toBe(405);
  expect(answer.headers).toEqual({
    allow: 'POST',
    'content-type': 'application/problem+json',
    'x-api-uuid': uuid,
    'x-api-version': packageJson.version,
  });
  expect(JSON.parse(answer.body)).toMatchObject({ code: 'request:method_not_allowed', status: 405, uuid });
});
