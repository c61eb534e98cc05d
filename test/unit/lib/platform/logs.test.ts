import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { expect, it } from 'vitest';
import type { PrintedLine } from '../../../../functions/api/shapes/log.ts';
import { logRoutes } from '../../../../lib/platform/api/logs.ts';

it('a followed log writes nothing between the end of its answer, as by a revoked login, and its close', async () => {
  const request = new IncomingMessage(new Socket());
  // Without a connection it has no close, as with a client that does not read.
  const response = new ServerResponse(request);
  const errors: unknown[] = [];
  response.on('error', (error) => errors.push(error));
  const line: PrintedLine = { at: '2026-11-24T00:00:00.000Z', stream: 'stdout', line: 'one' };
  let before = 0;
  async function* printed() {
    yield [line];
    before = response.writableLength;
    response.end();
    yield [line];
  }
  const runner = { logs: async () => printed() };
  const parts = { apps: { get: async () => ({}), find: async () => ({}) }, runners: { of: () => runner } };
  const [read] = Object.values(logRoutes(parts as unknown as Parameters<typeof logRoutes>[0]));
  const param = (name: string) => (name === 'user' ? 'ada' : 'shop');
  const caller = { isValid: async () => true };
  const call = { request, response, caller, param, query: new URLSearchParams('follow') };
  await read?.(call as unknown as Parameters<NonNullable<typeof read>>[0]);
  await new Promise((resolve) => setImmediate(resolve));
  response.emit('close');

  expect(before).toBeGreaterThan(0);
  expect(errors).toEqual([]);
});
