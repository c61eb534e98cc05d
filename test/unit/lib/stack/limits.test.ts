import { describe, expect, it } from 'vitest';
import { policiesOf, serviceTemplate } from '../../../support/template/service-template.ts';
import { spelledOut } from '../../../support/template/spelled-out.ts';

const { template, ofType } = serviceTemplate();
const document = template.toJSON();
const longest = (value: unknown) => spelledOut(value, document.Parameters);

/** Without blanks, which IAM does not count. */
function lengthOf(value: unknown): number {
  return JSON.stringify(longest(value)).length;
}

// https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/cloudformation-limits.html
describe('what CloudFormation allows of a template', () => {
  it('is 500 resources, of which this has at most 200', () => {
    expect(Object.keys(document.Resources).length).toBeLessThanOrEqual(200);
  });

  it('needs no other stack: nothing is imported or exported', () => {
    expect(JSON.stringify(document)).not.toMatch(/Fn::ImportValue|"Export"/);
  });
});

// https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_iam-quotas.html
describe('what IAM allows of a role', () => {
  it.each(ofType('AWS::IAM::Role'))('is 10 240 characters of inline policies in all: $id', (role) => {
    const inAll = policiesOf(role).reduce((sum, { document: policy }) => sum + lengthOf(policy), 0);
    expect(inAll).toBeLessThanOrEqual(10_240);
    expect(lengthOf(role.properties.AssumeRolePolicyDocument)).toBeLessThanOrEqual(2048);
  });
});

// https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html
describe('what Lambda allows of a function', () => {
  it.each(ofType('AWS::Lambda::Function'))(
    'is 4 KB of variables, also with the longest parameters: $properties.Description',
    ({ properties: { Description, Environment, Timeout } }) => {
      const variables = Object.entries(longest(Environment?.Variables ?? {}) as Record<string, string>);
      expect(variables.reduce((sum, [name, value]) => sum + name.length + value.length, 0)).toBeLessThanOrEqual(4096);
      expect(Description.length).toBeLessThanOrEqual(256);
      if (typeof Timeout === 'number') expect(Timeout).toBeLessThanOrEqual(900);
    },
  );
});

// https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-execution-service-limits-table.html
describe('what API Gateway allows', () => {
  it('is 512 characters of a variable of a stage, of those that it knows', () => {
    for (const { properties } of ofType('AWS::ApiGateway::Stage')) {
      for (const value of Object.values(longest(properties.Variables) as Record<string, string>)) {
        expect(value.length).toBeLessThanOrEqual(512);
      }
    }
  });

  it('is a format of the access log of 3 KB', () => {
    const formats = [
      ...ofType('AWS::ApiGateway::Stage').map(({ properties }) => properties.AccessLogSetting.Format),
      ...ofType('AWS::ApiGatewayV2::Stage').map(({ properties }) => properties.AccessLogSettings.Format),
    ];
    expect(formats).toHaveLength(3);
    for (const format of formats) expect(format.length).toBeLessThanOrEqual(3 * 1024);
  });
});

describe('what other services allow', () => {
  it('is 1024 characters of an alarm’s description, and five targets of a rule', () => {
    for (const { properties } of ofType('AWS::CloudWatch::Alarm')) {
      expect(properties.AlarmDescription.length).toBeLessThanOrEqual(1024);
    }
    for (const { properties } of ofType('AWS::Events::Rule')) expect(properties.Targets.length).toBeLessThanOrEqual(5);
  });
});
