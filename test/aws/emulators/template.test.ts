// biome-ignore-all lint/suspicious/noTemplateCurlyInString: Fn::Sub is written that way
import { describe, expect, it } from 'vitest';
import type { LocalValues } from '../../aws-local/template/stack.ts';
import { findResource, loadTemplate, type Template } from '../../aws-local/template/template.ts';
import { writeAssembly } from '../../support/aws-local/assembly-fixture.ts';

const values: LocalValues = { sqsEndpoint: 'http://127.0.0.1:9324' };

function load(
  template: object,
  {
    parameters = {},
    bundles = {},
    local = values,
  }: { parameters?: Record<string, string>; bundles?: Record<string, string>; local?: LocalValues } = {},
): Template {
  return loadTemplate({ cloudAssembly: writeAssembly(template, bundles), parameters, values: local });
}

/** What one value resolves to, beside resources that it may refer to. */
function resolved(value: unknown, rest: Record<string, unknown> = {}): unknown {
  const { Resources = {}, ...sections } = rest as { Resources?: object };
  const resources = { Holder: { Type: 'Test::Holder', Properties: { value } }, ...Resources };
  return load({ ...sections, Resources: resources }).resources.get('Holder')?.properties.value;
}

const queue = { Type: 'AWS::SQS::Queue', Properties: { FifoQueue: true } };
const table = { Type: 'AWS::DynamoDB::GlobalTable', Properties: { TableName: 'log' } };

describe('intrinsic functions', () => {
  it('a template value leaves out what resolves to AWS::NoValue, in objects and in lists', () => {
    expect(resolved({ gone: { Ref: 'AWS::NoValue' }, list: ['kept', { Ref: 'AWS::NoValue' }] })).toEqual({
      list: ['kept'],
    });
  });

  it('Fn::If resolves to the branch of its condition', () => {
    const Conditions = {
      IsLocal: { 'Fn::Equals': [{ Ref: 'AWS::AccountId' }, '000000000000'] },
      IsElsewhere: { 'Fn::Not': [{ Condition: 'IsLocal' }] },
      Either: { 'Fn::Or': [{ Condition: 'IsElsewhere' }, { Condition: 'IsLocal' }] },
      Both: { 'Fn::And': [{ Condition: 'IsElsewhere' }, { Condition: 'IsLocal' }] },
    };
    const outcome = (name: string): unknown => resolved({ 'Fn::If': [name, 'yes', 'no'] }, { Conditions });
    expect(['IsLocal', 'IsElsewhere', 'Either', 'Both'].map(outcome)).toEqual(['yes', 'no', 'yes', 'no']);
  });

  it.each([
    ['an unknown intrinsic', { 'Fn::GetAZs': '' }, /resource Holder: Fn::GetAZs is not a supported intrinsic/],
    ['Ref of nothing', { Ref: 'Nobody' }, /resource Holder: Ref Nobody: no such resource/],
    [
      'an unknown attribute',
      { 'Fn::GetAtt': ['Queue', 'Colour'] },
      /resource Holder: Fn::GetAtt Queue.Colour: AWS::SQS::Queue/,
    ],
    ['an unknown condition', { 'Fn::If': ['Nope', 1, 2] }, /resource Holder: condition Nope is not in the template/],
    ['Fn::Select beyond the end', { 'Fn::Select': [5, ['a']] }, /resource Holder: Fn::Select asks for item 5 of 1/],
    ['Fn::Join of no list', { 'Fn::Join': 'x' }, /resource Holder: Fn::Join needs a list/],
  ])('refuses %s and names the resource', (_, value, message) => {
    expect(() => resolved(value, { Resources: { Queue: queue } })).toThrow(message);
  });

  it('a resource is resolved only when it is read, so that types that do not run locally need no values', () => {
    const Role = { Type: 'AWS::IAM::Role', Properties: { odd: { 'Fn::GetAZs': '' } } };
    expect(resolved('fine', { Resources: { Role } })).toBe('fine');
  });
});

describe('loading a stack', () => {
  it('the address of an API of the stack is replaced by the local one, including the stage', () => {
    const address = { 'Fn::Sub': 'https://${Api}.execute-api.${AWS::Region}.${AWS::URLSuffix}/${Stage}/1/deploy' };
    const Outputs = { Url: { Value: address } };
    const Resources = {
      Api: { Type: 'AWS::ApiGateway::RestApi' },
      Stage: { Type: 'AWS::ApiGateway::Stage', Properties: { StageName: 'prod' } },
    };
    const local = { ...values, apiHosts: { Api: '127.0.0.1:8080' } };
    expect(load({ Resources, Outputs }, { local }).outputs).toEqual({ Url: 'http://127.0.0.1:8080/1/deploy' });
    expect(load({ Resources, Outputs }).outputs.Url).toContain('https://Api.execute-api.');
  });

  it('a parameter has the given value, else its default', () => {
    const template = {
      Parameters: { Branch: { Type: 'String', Default: 'master' }, Minutes: { Type: 'Number', Default: 60 } },
      Resources: { Holder: { Type: 'Test::Holder', Properties: { all: { 'Fn::Sub': '${Branch} ${Minutes}' } } } },
    };
    const all = (parameters: Record<string, string>): unknown =>
      load(template, { parameters }).resources.get('Holder')?.properties.all;
    expect(all({})).toBe('master 60');
    expect(all({ Branch: 'main' })).toBe('main 60');
  });

  it('an unknown parameter and one without a value are refused', () => {
    expect(() => load({ Resources: {} }, { parameters: { Typo: 'x' } })).toThrow(
      'parameter Typo is not in the template',
    );
    expect(() => load({ Parameters: { Name: { Type: 'String' } }, Resources: {} })).toThrow(
      'parameter Name has no value',
    );
  });

  it('resources and outputs whose condition is false are left out', () => {
    const template = load({
      Conditions: { Never: { 'Fn::Equals': ['a', 'b'] } },
      Resources: { Queue: { ...queue, Condition: 'Never' }, Table: table },
      Outputs: { Gone: { Condition: 'Never', Value: { Ref: 'Queue' } } },
    });
    expect([...template.resources.keys()]).toEqual(['Table']);
    expect(template.outputs).toEqual({});
  });

  it('a folder without an assembly is refused with the advice to run the synthesis', () => {
    expect(() => loadTemplate({ cloudAssembly: '/nowhere', parameters: {}, values })).toThrow('npx cdk synth');
  });

  it('a resource is found by its logical id, or by that without a hash that no other has', () => {
    const queues = ['Orders0A1B2C3D', 'Orders', 'Worker11111111', 'Worker22222222', 'Jobs0A1B2C3D'];
    const template = load({ Resources: { ...Object.fromEntries(queues.map((name) => [name, queue])), Table: table } });
    const find = (name: string) => findResource(template, 'AWS::SQS::Queue', name).logicalId;
    expect(['Orders', 'Orders0A1B2C3D', 'Jobs'].map(find)).toEqual(['Orders', 'Orders0A1B2C3D', 'Jobs0A1B2C3D']);
    const several = 'The template has more than one AWS::SQS::Queue named Worker: Worker11111111, Worker22222222.';
    expect(() => find('Worker')).toThrow(several);
    expect(() => find('Table')).toThrow(`The template has no AWS::SQS::Queue named Table: ${queues.join(', ')}.`);
  });
});
