import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  GetQueueAttributesCommand,
  GetQueueUrlCommand,
  ReceiveMessageCommand,
  SendMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { clientFor } from '../../../aws-local/clients.ts';
import { type Runtime, type RuntimeOptions, startRuntime } from '../../../aws-local/runtime.ts';
import { type AssemblyFixture, lambda, writeAssembly } from '../../../support/aws-local/assembly-fixture.ts';

const Statement = {
  Effect: 'Allow',
  Action: ['sqs:ReceiveMessage', 'sqs:DeleteMessage', 'sqs:GetQueueAttributes'],
  Resource: '*',
};
const Resources = {
  Jobs: { Type: 'AWS::SQS::Queue', Properties: { QueueName: 'jobs', VisibilityTimeout: 600 } },
  Role: { Type: 'AWS::IAM::Role', Properties: { Policies: [{ PolicyName: 'p', PolicyDocument: { Statement } }] } },
  Worker: lambda('worker', { Role: { 'Fn::GetAtt': ['Role', 'Arn'] } }),
  Mapping: {
    Type: 'AWS::Lambda::EventSourceMapping',
    Properties: {
      EventSourceArn: { 'Fn::GetAtt': ['Jobs', 'Arn'] },
      FunctionName: { Ref: 'Worker' },
      BatchSize: 1,
    },
  },
};
const worker = 'export const handler = async ({ Records }) => console.log(Records[0].body);';

let folder: string;
let assembly: AssemblyFixture;
/** What the function has printed since the last start, with the time. */
let printed: { readonly text: string; readonly at: number }[] = [];

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'strict-restart-'));
  assembly = writeAssembly({ Resources }, { worker });
});
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
  assembly.remove();
});

function start(strict: Pick<RuntimeOptions, 'strict'>): Promise<Runtime> {
  printed = [];
  return startRuntime({
    ...strict,
    cloudAssembly: assembly.folder,
    parameters: {},
    dataDir: join(folder, 'data'),
    port: 0,
    log: ({ text }) => printed.push({ text: text.trim(), at: Date.now() }),
    warn: () => {},
  });
}

async function callsOf({ endpoints }: Runtime) {
  const client = new SQSClient(clientFor(endpoints.sqs));
  const { QueueUrl } = await client.send(new GetQueueUrlCommand({ QueueName: 'jobs' }));
  return {
    send: (MessageBody: string) => client.send(new SendMessageCommand({ QueueUrl, MessageBody })),
    receive: async (VisibilityTimeout?: number) => {
      const { Messages } = await client.send(new ReceiveMessageCommand({ QueueUrl, VisibilityTimeout }));
      return Messages?.[0]?.Body;
    },
    inFlight: async () => {
      const request = new GetQueueAttributesCommand({
        QueueUrl,
        AttributeNames: ['ApproximateNumberOfMessagesNotVisible'],
      });
      return (await client.send(request)).Attributes?.ApproximateNumberOfMessagesNotVisible;
    },
  };
}

const texts = () => printed.map(({ text }) => text);
const untilPrinted = (text: string) => expect.poll(texts, { timeout: 60_000 }).toContain(text);

it('A strict start leaves in flight what was so at the end, until its visibility timeout, and another start gives it back', async () => {
  const first = await start({ strict: true });
  const before = await callsOf(first);
  // Before `open`, nobody else receives; a poller that ends with the process leaves its messages like this.
  await before.send('for ten minutes');
  expect(await before.receive()).toBe('for ten minutes');
  await before.send('for seconds');
  const visibleAt = Date.now() + 3000;
  expect(await before.receive(3)).toBe('for seconds');
  await first.close();

  const second = await start({ strict: true });
  await second.open();
  const after = await callsOf(second);
  await after.send('new');
  await untilPrinted('new');
  await untilPrinted('for seconds');
  expect(printed.find(({ text }) => text === 'for seconds')?.at).toBeGreaterThanOrEqual(visibleAt);
  await expect.poll(after.inFlight, { timeout: 60_000 }).toBe('1');
  expect(texts()).not.toContain('for ten minutes');
  await second.close();

  const third = await start({ strict: false });
  await third.open();
  await untilPrinted('for ten minutes');
  await third.close();
});
