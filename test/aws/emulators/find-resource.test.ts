import { describe, expect, it } from 'vitest';
import { findResource, loadTemplate } from '../../aws-local/template/template.ts';
import { lambda, writeAssembly } from '../../support/aws-local/assembly-fixture.ts';

describe('Finding a resource of a template by name', () => {
  const cloudAssembly = writeAssembly({
    Resources: {
      ApiOrders0A1B2C3D: lambda('orders'),
      ApiOrders: lambda('orders'),
      Worker11111111: lambda('worker'),
      Worker22222222: lambda('worker'),
      Jobs: { Type: 'AWS::SQS::Queue' },
    },
  });
  const template = loadTemplate({
    cloudAssembly,
    parameters: {},
    values: { sqsEndpoint: 'http://127.0.0.1:1' },
  });
  const find = (name: string) => findResource(template, 'AWS::Lambda::Function', name).logicalId;

  it('finds a resource by its logical id, which wins over one with a hash', () => {
    expect(find('ApiOrders')).toBe('ApiOrders');
    expect(find('ApiOrders0A1B2C3D')).toBe('ApiOrders0A1B2C3D');
  });

  it('rejects a name that only resources of other types have, and lists those of the type', () => {
    expect(() => find('Jobs')).toThrow(
      'The template has no AWS::Lambda::Function named Jobs: ApiOrders0A1B2C3D, ApiOrders, Worker11111111, Worker22222222.',
    );
  });

  it('rejects a name that two resources share without their hashes', () => {
    expect(() => find('Worker')).toThrow(
      'The template has more than one AWS::Lambda::Function named Worker: Worker11111111, Worker22222222.',
    );
  });
});
