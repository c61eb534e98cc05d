import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { project } from './place.ts';
import type { ApiAnswer } from './started.ts';

const version = JSON.parse(readFileSync(join(project, 'package.json'), 'utf8')).version;
const uuidShape = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** Expects the headers of every response: a request id and the version of the API. */
function expectHeaders({ headers }: ApiAnswer): void {
  expect(headers.get('x-api-uuid')).toMatch(uuidShape);
  expect(headers.get('x-api-version')).toBe(version);
}

/** Expects the complete problem document of a code, with its status and headers. */
export function expectProblem(answer: ApiAnswer, status: number, code: string): void {
  const { body, headers } = answer;
  expect({ status: answer.status, code: body.code, detail: body.detail }).toEqual({
    status,
    code,
    detail: expect.stringMatching(/^\S.*[.\w)]$/),
  });
  expectHeaders(answer);
  expect(headers.get('content-type')).toMatch(/^application\/problem\+json/);
  expect(Object.keys(body).sort()).toEqual(['code', 'detail', 'status', 'title', 'type', 'uuid']);
  expect(body).toMatchObject({ status, uuid: headers.get('x-api-uuid'), title: expect.stringMatching(/^\S.* .*\.$/) });
  expect(body.type).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/errors#/);
  expect(body.type.split('#').at(-1)).toBe(code);
  expect(body.detail).not.toMatch(/\n|\bat .*:\d+:\d+|\/functions\/|node_modules/);
  const challenge = status === 401 ? 'Basic realm="deployment-webhooks", charset="UTF-8"' : null;
  expect(headers.get('www-authenticate')).toBe(challenge);
}
