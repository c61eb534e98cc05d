import { RemovalPolicy, Validations } from 'aws-cdk-lib';
import { AccessLogField, AccessLogFormat } from 'aws-cdk-lib/aws-apigateway';
import {
  type IWebSocketRouteAuthorizer,
  LogGroupLogDestination,
  WebSocketApi,
  WebSocketStage,
} from 'aws-cdk-lib/aws-apigatewayv2';
import { WebSocketLambdaIntegration } from 'aws-cdk-lib/aws-apigatewayv2-integrations';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';

/** A WebSocket API with its one stage, at first without routes. */
export class Socket extends Construct {
  readonly api: WebSocketApi;
  readonly stage: WebSocketStage;

  constructor(scope: Construct, id: string, { name, description }: { name: string; description: string }) {
    super(scope, id);
    this.api = new WebSocketApi(this, 'Api', {
      apiName: name,
      description,
      routeSelectionExpression: '$request.body.action',
    });
    const accessLog = new LogGroup(this, 'AccessLog', {
      retention: RetentionDays.ONE_MONTH,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    this.stage = new WebSocketStage(this, 'Stage', {
      webSocketApi: this.api,
      stageName: 'live',
      autoDeploy: true,
      throttle: { rateLimit: 100, burstLimit: 200 },
      accessLogSettings: {
        destination: new LogGroupLogDestination(accessLog),
        format: AccessLogFormat.custom(JSON.stringify(accessLogLine)),
      },
    });
    Validations.of(this).acknowledge({
      id: 'AwsSolutions-APIG4',
      reason: 'Only $connect can ask for a login, and does; the other routes are for connections that it let in.',
    });
  }

  /** Has a function answer whatever happens to a connection; `authorizer` decides which may open. */
  answerBy(handler: IFunction, authorizer: IWebSocketRouteAuthorizer): void {
    // An integration each, because each comes with the permission for its route alone.
    const to = (id: string) => new WebSocketLambdaIntegration(id, handler);
    this.api.addRoute('$connect', { integration: to('Connect'), authorizer });
    this.api.addRoute('$disconnect', { integration: to('Disconnect') });
    this.api.addRoute('register', { integration: to('Register'), returnResponse: true });
    this.api.addRoute('$default', { integration: to('Other'), returnResponse: true });
  }
}

/** Neither headers nor the query: a login may be in the one and a signature is in the other. */
const accessLogLine = {
  uuid: AccessLogField.contextRequestId(),
  time: AccessLogField.contextRequestTimeEpoch(),
  connection: '$context.connectionId',
  ip: AccessLogField.contextIdentitySourceIp(),
  user: AccessLogField.contextAuthorizerPrincipalId(),
  route: '$context.routeKey',
  event: '$context.eventType',
  status: AccessLogField.contextStatus(),
  functionError: '$context.integrationErrorMessage',
};
