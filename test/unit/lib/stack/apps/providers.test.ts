import { describe, expect, it } from 'vitest';
import { serviceTemplate } from '../../../../support/service-template.ts';

const { template } = serviceTemplate();
const { Conditions, Resources, Outputs, Parameters } = template.toJSON();

type Expression = { readonly [operator: string]: unknown };

/** Returns whether a condition of the template about the platform holds. */
function holds(name: string, platform: string): boolean {
  return evaluated(Conditions[name], platform);
}

function evaluated(expression: Expression, platform: string): boolean {
  if (Array.isArray(expression['Fn::Not'])) return !evaluated(expression['Fn::Not'][0], platform);
  const [{ Ref }, value] = expression['Fn::Equals'] as [{ Ref: string }, string];
  expect(Ref).toBe('Platform');
  return value === platform;
}

/** What is in a stack because of its platform: the types of its own resources, and the outputs. */
function ofPlatform(platform: string): readonly string[] {
  const own = ['OnLambda', 'OnHttp', 'CallsPlatform', 'KeepsUsers'];
  const there = ({ Condition = '' }) => own.includes(Condition) && holds(Condition, platform);
  const types = Object.values<{ Type: string; Condition?: string }>(Resources).filter(there);
  const outputs = Object.entries<{ Condition?: string }>(Outputs).filter(([, output]) => there(output));
  return [...new Set([...types.map(({ Type }) => Type), ...outputs.map(([name]) => name)])].sort();
}

/** A resource of the template that is a policy. */
interface Policy {
  readonly Type: string;
  readonly Condition?: string;
  readonly Properties: { readonly PolicyDocument: { readonly Statement: readonly { Action: string | string[] }[] } };
}

describe('a stack for Heroku', () => {
  it('is chosen by the parameter Platform', () => {
    expect(Parameters.Platform.AllowedValues).toEqual(['aws-lambda', 'heroku', 'http']);
  });

  it('has the table with the users and the secret with the token, and nothing that builds or runs applications', () => {
    expect(ofPlatform('heroku')).toEqual([
      'AWS::DynamoDB::GlobalTable',
      'AWS::IAM::Policy',
      'AWS::SecretsManager::Secret',
      'ManageUsers',
      'PlatformTokenSecret',
    ]);
  });

  it('differs so from one with a platform of the platform API, which has the users', () => {
    expect(ofPlatform('http')).toEqual(['AWS::IAM::Policy', 'AWS::SecretsManager::Secret', 'PlatformTokenSecret']);
    expect(ofPlatform('aws-lambda')).not.toContain('AWS::SecretsManager::Secret');
  });

  it('lets its functions read and write the table and read the token, and nothing else of a platform', () => {
    const policies = Object.values<Policy>(Resources).filter(
      ({ Type, Condition = '' }) =>
        Type === 'AWS::IAM::Policy' && Condition in Conditions && holds(Condition, 'heroku'),
    );
    const actions = policies.flatMap(({ Properties }) =>
      Properties.PolicyDocument.Statement.flatMap(({ Action }) => Action),
    );
    expect([...new Set(actions)].sort()).toEqual([
      'dynamodb:DeleteItem',
      'dynamodb:GetItem',
      'dynamodb:Query',
      'dynamodb:Scan',
      'dynamodb:UpdateItem',
      'secretsmanager:GetSecretValue',
    ]);
  });
});
