import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type Runtime, startRuntime } from '../../aws-local/runtime.ts';
import { synthesiseOrders } from '../../support/aws-local/second-app/synthesise-orders.ts';

describe('A CDK app that is not this service, synthesised and run', () => {
  const warnings: string[] = [];
  const lines: string[] = [];
  let folder: string;
  let runtime: Runtime;
  let url: string | undefined;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'second-app-'));
    runtime = await startRuntime({
      cloudAssembly: await synthesiseOrders(folder),
      parameters: {},
      dataDir: join(folder, 'data'),
      port: 0,
      log: ({ functionName, text }) => lines.push(`${functionName}: ${text}`),
      warn: (sentence) => warnings.push(sentence),
    });
    url = await runtime.open();
  });
  afterAll(async () => {
    await runtime?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const receipt = (id: string) =>
    vi.waitFor(
      async () => {
        const response = await fetch(`${url}/orders/${id}`);
        expect(response.status, lines.join('\n')).toBe(200);
        return response.json();
      },
      { timeout: 60_000, interval: 20 },
    );

  it('a request goes through queue, consumer, table and stream into the bucket, where another request reads it', async () => {
    const placed = await fetch(`${url}/orders`, { method: 'POST', body: JSON.stringify({ article: 'A bicycle' }) });
    expect(placed.status).toBe(202);
    const { id } = JSON.parse(await placed.text());
    expect(await receipt(id)).toEqual({ id, article: 'A bicycle', eventName: 'INSERT' });
  });

  it('a scheduled rule invokes its function at the start, with the event of EventBridge', async () => {
    expect(await receipt('opening')).toMatchObject({ source: 'aws.events', 'detail-type': 'Scheduled Event' });
  });

  it('a function is invoked by its construct path', async () => {
    const event = { pathParameters: { id: 'unknown' } };
    expect(await runtime.invoke('Orders/read-receipt', event)).toMatchObject({ statusCode: 404 });
  });

  it('a function may do what its role allows, and no request was refused', () => {
    const words = runtime.permissions
      .used()
      .map(({ role, action }) => `${role.replace(/ServiceRole.*/, '')} ${action}`);
    expect(words).toEqual(
      expect.arrayContaining([
        'placeorder sqs:SendMessage',
        'storeorder sqs:ReceiveMessage',
        'storeorder dynamodb:PutItem',
        'writereceipt dynamodb:GetRecords',
        'writereceipt s3:PutObject',
        'readreceipt s3:GetObject*',
      ]),
    );
  });

  it('each resource of a type that aws-local does not know gets a warning with its name', () => {
    expect(warnings).toEqual([
      'Refunds (AWS::StepFunctions::StateMachine) does not run here: aws-local does not know the type.',
    ]);
  });
});
