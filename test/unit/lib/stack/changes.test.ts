import { Match } from 'aws-cdk-lib/assertions';
import { describe, expect, it } from 'vitest';
import { type Resource, serviceTemplate, target } from '../../../support/service-template.ts';

const { template, ofType } = serviceTemplate();
const functions = new Map(ofType('AWS::Lambda::Function').map((one) => [one.id, one.properties.Description]));
const apis = ofType('AWS::ApiGatewayV2::Api');

function routesOf(api: Resource): Resource[] {
  return ofType('AWS::ApiGatewayV2::Route').filter(({ properties }) => target(properties.ApiId) === api.id);
}

function connectOf(name: string): Resource {
  const api = apis.find(({ properties }) => properties.Name === `deployment-webhooks-${name}`);
  const connect = api && routesOf(api).find(({ properties }) => properties.RouteKey === '$connect');
  if (!connect) throw new Error(`The socket ${name} cannot be connected to.`);
  return connect;
}

function statementsOf(folder: string) {
  const one = ofType('AWS::Lambda::Function').find(({ properties }) => properties.Description === folder);
  const role = ofType('AWS::IAM::Role').find(({ id }) => id === target(one?.properties.Role));
  return role?.properties.Policies[0].PolicyDocument.Statement;
}

describe('the sockets', () => {
  it('are two: one opens by the service’s own signature, one by a login', () => {
    expect(apis).toHaveLength(2);
    expect(connectOf('inside').properties).toMatchObject({ AuthorizationType: 'AWS_IAM' });
    const { AuthorizationType, AuthorizerId } = connectOf('outside').properties;
    expect(AuthorizationType).toBe('CUSTOM');
    const login = ofType('AWS::ApiGatewayV2::Authorizer').find(({ id }) => id === target(AuthorizerId));
    const asked = login?.properties.AuthorizerUri['Fn::Join'][1].find((part: object) => 'Fn::GetAtt' in Object(part));
    expect(functions.get(target(asked))).toBe('authorize');
  });

  it('ask the authorizer whatever the handshake carries, so that a browser can log in by a subprotocol', () => {
    for (const { properties } of ofType('AWS::ApiGatewayV2::Authorizer')) {
      expect(properties).toMatchObject({ AuthorizerType: 'REQUEST', IdentitySource: [] });
    }
  });

  it('answer a registration and what they do not understand, and hear of every end', () => {
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

  it('log neither headers nor queries, where logins and signatures are', () => {
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

  it('tells of new changes only, four lanes beside each other', () => {
    expect(functions.get(target(mapping?.properties.FunctionName))).toBe('changes-signal');
    expect(mapping?.properties).toMatchObject({ BatchSize: 100, ParallelizationFactor: 4, StartingPosition: 'LATEST' });
    const [filter] = mapping?.properties.FilterCriteria.Filters ?? [];
    expect(JSON.parse(filter.Pattern)).toEqual({
      eventName: ['INSERT'],
      dynamodb: { Keys: { sk: { S: [{ prefix: 'C#' }] } } },
    });
  });

  it('gives a signal up after three more tries or five minutes, into a queue that is watched', () => {
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

describe('the book of connections', () => {
  it('forgets what has expired and needs no backup', () => {
    const table = ofType('AWS::DynamoDB::GlobalTable').find(({ id }) => id.startsWith('ChangesConnections'));
    expect(table?.properties.TimeToLiveSpecification).toEqual({ AttributeName: 'expires', Enabled: true });
    template.hasResource('AWS::DynamoDB::GlobalTable', {
      Properties: { StreamSpecification: Match.absent() },
      DeletionPolicy: 'Delete',
    });
  });

  it('is written by the function that answers connections alone; who signals can only strike out', () => {
    const actions = (folder: string) =>
      statementsOf(folder)
        .filter(({ Resource }: { Resource: unknown }) => JSON.stringify(Resource).includes('ChangesConnections'))
        .flatMap(({ Action }: { Action: string | string[] }) => Action);
    expect(actions('changes-register').sort()).toEqual(['dynamodb:DeleteItem', 'dynamodb:GetItem', 'dynamodb:PutItem']);
    expect(actions('changes-signal').sort()).toEqual(['dynamodb:DeleteItem', 'dynamodb:Query']);
    expect(actions('api-changes')).toEqual([]);
  });
});

describe('the function that streams', () => {
  it('may open the inside socket and nothing else of it', () => {
    const opens = statementsOf('api-changes').filter(
      ({ Action }: { Action: string }) => Action === 'execute-api:Invoke',
    );
    expect(opens).toHaveLength(1);
    expect(JSON.stringify(opens[0].Resource)).toMatch(/ChangesInsideApi[^*]*\/live\/\$connect/);
  });

  it('is ended by Lambda only after it has ended itself', () => {
    const { MaxValue } = template.findParameters('ChangesSeconds').ChangesSeconds ?? {};
    const streaming = ofType('AWS::Lambda::Function').find(
      ({ properties }) => properties.Description === 'api-changes',
    );
    expect(streaming?.properties.Timeout).toBe(900);
    expect(MaxValue).toBeLessThan(900);
  });
});
