import { Match } from 'aws-cdk-lib/assertions';
import { describe, expect, it } from 'vitest';
import { WATCHED } from '../../../../functions/adapters/stores/dynamodb/items.ts';
import { type Resource, serviceTemplate, target } from '../../../support/template/service-template.ts';

const { template, ofType } = serviceTemplate();
const functions = new Map(ofType('AWS::Lambda::Function').map((one) => [one.id, one.properties.Description]));
const apis = ofType('AWS::ApiGatewayV2::Api');

function routesOf(api: Resource): Resource[] {
  return ofType('AWS::ApiGatewayV2::Route').filter(({ properties }) => target(properties.ApiId) === api.id);
}

function connectOf(name: string): Resource {
  const api = apis.find(({ properties }) => JSON.stringify(properties.Name).endsWith(`"-${name}"]]}`));
  const connect = api && routesOf(api).find(({ properties }) => properties.RouteKey === '$connect');
  if (!connect) throw new Error(`The socket ${name} cannot be connected to.`);
  return connect;
}

function statementsOf(folder: string) {
  const one = ofType('AWS::Lambda::Function').find(({ properties }) => properties.Description === folder);
  const role = ofType('AWS::IAM::Role').find(({ id }) => id === target(one?.properties.Role));
  return role?.properties.Policies[0].PolicyDocument.Statement;
}

describe('the WebSocket APIs', () => {
  it('are an internal one with IAM authorization and a public one with a login', () => {
    expect(apis).toHaveLength(2);
    expect(connectOf('inside').properties).toMatchObject({ AuthorizationType: 'AWS_IAM' });
    const { AuthorizationType, AuthorizerId } = connectOf('outside').properties;
    expect(AuthorizationType).toBe('CUSTOM');
    const login = ofType('AWS::ApiGatewayV2::Authorizer').find(({ id }) => id === target(AuthorizerId));
    const asked = login?.properties.AuthorizerUri['Fn::Join'][1].find((part: object) => 'Fn::GetAtt' in Object(part));
    expect(functions.get(target(asked))).toBe('authorize');
  });

  it('have one integration each, which all of their routes share', () => {
    for (const api of apis) {
      const targets = routesOf(api).map(({ properties }) => JSON.stringify(properties.Target));
      expect([targets.length, new Set(targets).size]).toEqual([4, 1]);
    }
  });

  it('invoke their function by one permission each, from every route', () => {
    const permissions = ofType('AWS::Lambda::Permission').map(({ properties }) => properties);
    for (const api of apis) {
      const own = permissions.filter(({ SourceArn }) =>
        JSON.stringify(SourceArn ?? '').includes(`"${api.id}"},"/*/*"`),
      );
      expect(own.map(({ FunctionName }) => functions.get(target(FunctionName)))).toEqual(['changes-register']);
      expect(own).toMatchObject([{ Action: 'lambda:InvokeFunction', Principal: 'apigateway.amazonaws.com' }]);
    }
  });

  it('call the authorizer for every handshake, so that a browser can log in by a subprotocol', () => {
    for (const { properties } of ofType('AWS::ApiGatewayV2::Authorizer')) {
      expect(properties).toMatchObject({ AuthorizerType: 'REQUEST', IdentitySource: ['context.stage'] });
    }
  });

  it('answer registrations and unknown messages, and handle every disconnect', () => {
    for (const api of apis) {
      const answers = routesOf(api).map(({ properties }) => [
        properties.RouteKey,
        properties.RouteResponseSelectionExpression,
      ]);
      expect(Object.fromEntries(answers)).toEqual({
        $connect: undefined,
        $disconnect: undefined,
        register: '$default',
        $default: '$default',
      });
    }
  });

  it('log neither headers nor queries, which hold logins and signatures', () => {
    for (const { properties } of ofType('AWS::ApiGatewayV2::Stage')) {
      expect(properties.AccessLogSettings.Format).not.toMatch(
        /header|query|signature|"\$context\.authorizer\.(?!prin)/i,
      );
      expect(properties.DefaultRouteSettings).toEqual({ ThrottlingRateLimit: 100, ThrottlingBurstLimit: 200 });
    }
  });
});

describe('the stream of the log', () => {
  const mapping = ofType('AWS::Lambda::EventSourceMapping').find(({ properties }) => properties.ParallelizationFactor);

  it('passes on new changes that somebody may watch, in four concurrent batches per shard, or in one where stages are limited', () => {
    expect(functions.get(target(mapping?.properties.FunctionName))).toBe('changes-signal');
    expect(mapping?.properties).toMatchObject({ BatchSize: 100, StartingPosition: 'LATEST' });
    expect(mapping?.properties.ParallelizationFactor).toEqual({ 'Fn::If': ['LimitGiven', 1, 4] });
    const [filter] = mapping?.properties.FilterCriteria.Filters ?? [];
    expect(JSON.parse(filter.Pattern)).toEqual({
      eventName: ['INSERT'],
      dynamodb: { Keys: { sk: { S: [{ prefix: 'C#' }] } }, NewImage: { [WATCHED.attribute]: { S: [WATCHED.value] } } },
    });
  });

  it('moves a batch to a queue with an alarm after three retries or five minutes', () => {
    expect(mapping?.properties).toMatchObject({
      MaximumRetryAttempts: 3,
      MaximumRecordAgeInSeconds: 300,
      BisectBatchOnFunctionError: true,
      FunctionResponseTypes: ['ReportBatchItemFailures'],
    });
    const failures = target(mapping?.properties.DestinationConfig.OnFailure.Destination);
    const watched = ofType('AWS::CloudWatch::Alarm').filter(
      ({ properties }) => properties.Dimensions && JSON.stringify(properties.Dimensions).includes(failures),
    );
    expect(watched).toHaveLength(1);
  });
});

const STREAMING = ['api-changes', 'api-build-log', 'api-app-logs'];

describe('the table of connections', () => {
  it('expires items and has no backup', () => {
    const table = ofType('AWS::DynamoDB::GlobalTable').find(({ id }) => id.startsWith('ChangesConnections'));
    expect(table?.properties.TimeToLiveSpecification).toEqual({ AttributeName: 'expires', Enabled: true });
    template.hasResource('AWS::DynamoDB::GlobalTable', {
      Properties: { StreamSpecification: Match.absent() },
      DeletionPolicy: 'Delete',
    });
  });
});

describe('the function that streams changes', () => {
  it('may connect to the internal WebSocket API and use no other route of it', () => {
    const opens = statementsOf('api-changes').filter(
      ({ Action }: { Action: string }) => Action === 'execute-api:Invoke',
    );
    expect(opens).toHaveLength(1);
    expect(JSON.stringify(opens[0].Resource)).toMatch(/ChangesInsideApi[^*]*\/live\/\$connect/);
  });

  it.each(STREAMING)('%s is ended by Lambda when the place of its stream is free again', (folder) => {
    const { MaxValue } = template.findParameters('ChangesSeconds').ChangesSeconds ?? {};
    const streaming = ofType('AWS::Lambda::Function').find(({ properties }) => properties.Description === folder);
    expect(streaming?.properties.Timeout).toEqual({ Ref: 'ChangesSeconds' });
    expect(MaxValue).toBe(900);
  });
});
