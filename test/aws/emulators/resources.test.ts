import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Emulators, startEmulators } from '../../aws-local/emulators/emulators.ts';
import { secretsOf } from '../../aws-local/emulators/secrets.ts';
import { createResources } from '../../aws-local/resources/resources.ts';
import { templateOf } from '../../support/aws-local/template-fixture.ts';

/** The properties of a queue whose dead-letter queue has this name. */
const deadTo = (name: string, more = {}) => ({
  RedrivePolicy: { deadLetterTargetArn: `arn:aws:sqs:us-east-1:000000000000:${name}`, maxReceiveCount: 2 },
  ...more,
});

describe('What is refused of a resource', () => {
  let emulators: Emulators;
  beforeAll(async () => {
    emulators = await startEmulators();
  });
  afterAll(() => emulators.close());

  it.each([
    ['a table without keys', 'AWS::DynamoDB::Table', { AttributeDefinitions: [] }, 'KeySchema'],
    [
      'a queue with a FIFO queue for dead letters',
      'AWS::SQS::Queue',
      deadTo('Dead.fifo'),
      'must be same type of queue',
    ],
    ['a FIFO queue without one', 'AWS::SQS::Queue', deadTo('Dead', { FifoQueue: true }), 'must be same type of queue'],
  ])('%s', async (_what, type, properties, reason) => {
    const template = templateOf({ Odd: [type, properties] });
    await expect(createResources({ template, endpoints: emulators.endpoints })).rejects.toThrow(reason);
  });

  it('a secret whose value is to be generated', () => {
    const rules = { GenerateSecretString: { ExcludePunctuation: true } };
    expect(() => secretsOf(templateOf({ Token: ['AWS::SecretsManager::Secret', rules] }))).toThrow('SecretString');
  });
});
