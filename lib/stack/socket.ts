import { RemovalPolicy, Validations } from 'aws-cdk-lib';
import { AccessLogField, AccessLogFormat } from 'aws-cdk-lib/aws-apigateway';
import {
  type IWebSocketRouteAuthorizer,
  LogGroupLogDestination,
  WebSocketApi,
  WebSocketStage,
} from 'aws-cdk-lib/aws-apigatewayv2';
import { WebSocketLambdaIntegration } from 'aws-cdk-lib/aws-apigatewayv2-integrations';
import { ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { type IFunction, Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';

/** A WebSocket API with one stage and, until `addRoutes`, without routes. */
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
        format: AccessLogFormat.custom(JSON.stringify(ACCESS_LOG_LINE)),
      },
    });
    Validations.of(this).acknowledge({
      id: 'AwsSolutions-APIG4',
      reason:
        'Only $connect can have an authorizer, and has one; the other routes are for connections that it accepted.',
    });
  }

  /** Routes connecting, disconnecting and messages to a function; `authorizer` decides who may connect. */
  addRoutes(handler: IFunction, authorizer: IWebSocketRouteAuthorizer): void {
    // One for all routes, and one permission: each route would add its own to the function itself.
    const { functionArn } = handler;
    const called = LambdaFunction.fromFunctionAttributes(this, 'Called', { functionArn, skipPermissions: true });
    const integration = new WebSocketLambdaIntegration('Handler', called);
    handler.addPermission('MayCall', {
      scope: this,
      principal: new ServicePrincipal('apigateway.amazonaws.com'),
      sourceArn: this.api.arnForExecuteApiV2(),
    });
    this.api.addRoute('$connect', { integration, authorizer });
    this.api.addRoute('$disconnect', { integration });
    this.api.addRoute('register', { integration, returnResponse: true });
    this.api.addRoute('$default', { integration, returnResponse: true });
  }
}

/** Neither headers nor the query: a login may be in the headers, and a signature is in the query. */
const ACCESS_LOG_LINE = {
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
