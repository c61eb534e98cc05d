import { describe, expect, it } from 'vitest';
import { reservedRuns } from '../../../../lib/cli/aws/deploy/parameters.ts';
import { resolve, type Scope } from '../../../aws-local/template/intrinsics.ts';
import { serviceTemplate, target } from '../../../support/template/service-template.ts';

const { template } = serviceTemplate();

describe('the stack’s parameters and outputs', () => {
  it('have defaults, so that the template runs locally as it is', () => {
    const { BootstrapVersion, ...parameters } = template.findParameters('*');
    expect(BootstrapVersion).toBeDefined();
    expect(Object.entries(parameters).filter(([, { Default }]) => Default === undefined)).toEqual([]);
  });

  it.each([
    { ReservedConcurrency: 3 },
    { StageConcurrency: 2 },
    { ReservedConcurrency: 3, StageConcurrency: 2, ChangesConcurrency: 5 },
  ])('reserve as many runs as "npm run deploy" counts: %o', (given: Readonly<Record<string, number>>) => {
    const ref = (name: string) => String(given[name] ?? 0);
    const { Conditions } = template.toJSON();
    const scope: Scope = { ref, getAtt: () => null, condition: (name) => resolve(Conditions[name], scope) === true };
    const reserved = Object.values(template.findResources('AWS::Lambda::Function')).map(({ Properties }) =>
      Number(resolve(Properties.ReservedConcurrentExecutions ?? 0, scope)),
    );
    const counted = reservedRuns((name) => given[name]?.toString(), given.ReservedConcurrency ?? 0);
    expect(reserved.reduce((sum, runs) => sum + runs, 0)).toBe(counted);
  });

  it.each(['StageConcurrency', 'ReservedConcurrency'])('refuse a %s of one, which no queue can have', (name) => {
    expect(template.toJSON().Rules[`${name}IsPossible`]).toEqual({
      Assertions: [
        {
          Assert: { 'Fn::Not': [{ 'Fn::Equals': [{ Ref: name }, '1'] }] },
          AssertDescription: expect.stringContaining('2 or more'),
        },
      ],
    });
  });

  it('include the addresses of the API, the log and the secrets', () => {
    const outputs = template.findOutputs('*');
    expect(Object.keys(outputs)).toEqual(expect.arrayContaining(['ApiUrl', 'SignalsUrl', 'LogTable', 'HookSecrets']));
    expect(Object.keys(template.findResources('AWS::SecretsManager::Secret'))).toEqual([
      target(outputs.HookSecrets?.Value),
    ]);
    expect(Object.keys(template.findResources('AWS::DynamoDB::GlobalTable'))).toContain(
      target(outputs.LogTable?.Value),
    );
  });
});
