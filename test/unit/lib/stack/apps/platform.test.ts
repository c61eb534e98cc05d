import { describe, expect, it } from 'vitest';
import { PLATFORM_KINDS } from '../../../../../functions/adapters/platform/platforms.ts';
import { serviceTemplate } from '../../../../support/template/service-template.ts';

const { template } = serviceTemplate();
const { Conditions, Resources, Outputs, Parameters } = template.toJSON();

/** Returns whether a condition of the template about the platform holds. */
function holds(name: string, platform: string): boolean {
  const [{ Ref }, value] = Conditions[name]['Fn::Equals'] as [{ Ref: string }, string];
  expect(Ref).toBe('Platform');
  return value === platform;
}

/** What is in a stack because of its platform: the types of its own resources, and the outputs. */
function ofPlatform(platform: string): readonly string[] {
  const there = ({ Condition = '' }) => ['OnLambda', 'OnHttp'].includes(Condition) && holds(Condition, platform);
  const types = Object.values<{ Type: string; Condition?: string }>(Resources).filter(there);
  const outputs = Object.entries<{ Condition?: string }>(Outputs).filter(([, output]) => there(output));
  return [...new Set([...types.map(({ Type }) => Type), ...outputs.map(([name]) => name)])].sort();
}

describe('the parameter Platform', () => {
  it('has the platforms that the functions know', () => {
    expect(Parameters.Platform.AllowedValues).toEqual(PLATFORM_KINDS);
  });

  it('with a platform of the platform API leaves only the token for it in the stack', () => {
    expect(ofPlatform('http')).toEqual(['AWS::SecretsManager::Secret', 'PlatformTokenSecret']);
  });

  it('with AWS Lambda brings the table of applications, and no token', () => {
    const there = ofPlatform('aws-lambda');
    expect(there).toEqual(expect.arrayContaining(['AWS::DynamoDB::GlobalTable']));
    expect(there).not.toContain('AWS::SecretsManager::Secret');
  });
});
