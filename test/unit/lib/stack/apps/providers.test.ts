import { describe, expect, it } from 'vitest';
import { serviceTemplate } from '../../../../support/template/service-template.ts';

const { template } = serviceTemplate();
const { Conditions, Resources, Outputs, Parameters } = template.toJSON();

type Expression = { readonly [operator: string]: unknown };

/** Returns whether a condition of the template about the platform holds. */
function holds(name: string, platform: string): boolean {
  return evaluated(Conditions[name], platform);
}

function evaluated(expression: Expression, platform: string): boolean {
  if (Array.isArray(expression['Fn::Or'])) return expression['Fn::Or'].some((one) => evaluated(one, platform));
  if (Array.isArray(expression['Fn::Not'])) return !evaluated(expression['Fn::Not'][0], platform);
  const [{ Ref }, value] = expression['Fn::Equals'] as [{ Ref: string }, string];
  expect(Ref).toBe('Platform');
  return value === platform;
}

/** What is in a stack because of its platform: the types of its own resources, and the outputs. */
function ofPlatform(platform: string): readonly string[] {
  const own = ['OnLambda', 'OnHttp', 'OnScalingo', 'CallsPlatform', 'KeepsUsers', 'StoresSnapshots'];
  const there = ({ Condition = '' }) => own.includes(Condition) && holds(Condition, platform);
  const types = Object.values<{ Type: string; Condition?: string }>(Resources).filter(there);
  const outputs = Object.entries<{ Condition?: string }>(Outputs).filter(([, output]) => there(output));
  return [...new Set([...types.map(({ Type }) => Type), ...outputs.map(([name]) => name)])].sort();
}

/** A resource of the template that is a policy. */
interface Policy {
  readonly Type: string;
  readonly Condition?: string;
  readonly Properties: {
    readonly PolicyDocument: { readonly Statement: readonly { Action: string | string[]; Resource: unknown }[] };
  };
}

/** What functions may do with the platform of a stack, and the objects that they may do it with. */
function allowed(platform: string) {
  const policies = Object.values<Policy>(Resources).filter(
    ({ Type, Condition = '' }) => Type === 'AWS::IAM::Policy' && Condition in Conditions && holds(Condition, platform),
  );
  const statements = policies.flatMap(({ Properties }) => Properties.PolicyDocument.Statement);
  const ofBucket = statements.filter(({ Action }) => [Action].flat().some((action) => action.startsWith('s3:')));
  return {
    actions: [...new Set(statements.flatMap(({ Action }) => Action))].sort(),
    objects: ofBucket.map(({ Resource }) => JSON.stringify(Resource)),
  };
}

describe('a stack for Heroku', () => {
  it('is chosen by the parameter Platform', () => {
    expect(Parameters.Platform.AllowedValues).toEqual(['aws-lambda', 'heroku', 'scalingo', 'http']);
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
    expect(allowed('heroku').actions).toEqual([
      'dynamodb:DeleteItem',
      'dynamodb:GetItem',
      'dynamodb:Query',
      'dynamodb:Scan',
      'dynamodb:UpdateItem',
      'secretsmanager:GetSecretValue',
    ]);
  });
});

describe('a stack for Scalingo', () => {
  it('has the bucket with the tarballs that Scalingo reads, besides what one for Heroku has', () => {
    expect(ofPlatform('scalingo')).toEqual(
      [...ofPlatform('heroku'), 'AWS::S3::Bucket', 'AWS::S3::BucketPolicy'].sort(),
    );
  });

  it('lets its functions do with those tarballs what a deploy, a rollback and a removal need', () => {
    const { actions, objects } = allowed('scalingo');
    const ofBucket = ['s3:AbortMultipartUpload', 's3:DeleteObject', 's3:GetObject', 's3:PutObject'];
    expect(actions).toEqual([...allowed('heroku').actions, ...ofBucket].sort());
    for (const resource of objects) expect(resource).toContain('/archives/*');
  });

  it('has a region, which is a part of the name of a host', () => {
    expect(Parameters.PlatformRegion).toMatchObject({ Default: 'osc-fr1', AllowedPattern: '[a-z0-9-]+' });
  });
});
