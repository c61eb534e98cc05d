import { readdirSync, readFileSync } from 'node:fs';
import { DynamoDBClient, GetItemCommand } from '@aws-sdk/client-dynamodb';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { requestLimits } from '../../../../../functions/adapters/aws/client-settings.ts';
import { type HttpServer, httpServer } from '../../../../support/service/http-server.ts';

describe('a request to AWS that is not answered', () => {
  let server: HttpServer;
  let requests = 0;

  beforeEach(async () => {
    requests = 0;
    server = await httpServer(() => {
      requests += 1;
      return new Promise(() => {});
    });
  });
  afterEach(() => server.close());

  it('fails when its limit is exceeded, after three tries', async () => {
    const client = new DynamoDBClient({
      ...requestLimits(250),
      endpoint: server.url,
      region: 'us-east-1',
      credentials: { accessKeyId: 'id', secretAccessKey: 'secret' },
    });
    const read = client.send(new GetItemCommand({ TableName: 'log', Key: { pk: { S: 'a' } } }));
    await expect(read).rejects.toMatchObject({ name: 'TimeoutError' });
    expect(requests).toBe(3);
    client.destroy();
  });
});

it('Every client of AWS has such limits', () => {
  const folder = new URL('../../../../../functions/', import.meta.url);
  const sources = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts'))
    .map((path) => ({ path, text: readFileSync(new URL(path, folder), 'utf8') }));
  const clients = sources.filter(({ text }) => /\bnew [A-Z]\w*Client\(/.test(text));
  expect(clients.length).toBeGreaterThan(4);
  expect(clients.filter(({ text }) => !text.includes('requestLimits(')).map(({ path }) => path)).toEqual([]);
});
