import { get, type ServerResponse } from 'node:http';
import { expect, it } from 'vitest';
import { openListeners } from '../../../../lib/http/listeners.ts';

async function served() {
  const waiting: ServerResponse[] = [];
  const { port, close } = await openListeners({ port: 0 }, (server) => {
    server.on('request', (_, response) => void waiting.push(response));
  });
  const asked = (path: string) =>
    new Promise<string>((resolve) => {
      const request = get({ port, host: '127.0.0.1', path, agent: false }, (answer) => {
        let text = '';
        answer.on('data', (piece) => {
          text += piece;
        });
        answer.on('error', () => {}).once('close', () => resolve(`${answer.statusCode} ${text}`));
      });
      request.on('error', (error) => resolve(error.message));
    });
  return { waiting, close, asked };
}

it('A server that is closed answers the request that it has begun with', async () => {
  const { waiting, close, asked } = await served();
  const answer = asked('/');
  await expect.poll(() => waiting).toHaveLength(1);
  const closed = close();
  waiting[0]?.end('done');
  expect(await answer).toBe('200 done');
  await closed;
});

it('A server that is closed does not wait for the end of a stream', async () => {
  const { waiting, close, asked } = await served();
  const answer = asked('/');
  await expect.poll(() => waiting).toHaveLength(1);
  waiting[0]?.writeHead(200).flushHeaders();
  await close();
  expect(await answer).toMatch(/^200 |socket hang up/);
});
