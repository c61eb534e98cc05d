import { Aws, CfnCondition, Fn, RemovalPolicy, Validations } from 'aws-cdk-lib';
import {
  AccessLogField,
  AccessLogFormat,
  CfnStage,
  EndpointType,
  LogGroupLogDestination,
  RestApi,
  type StageOptions,
} from 'aws-cdk-lib/aws-apigateway';
import { LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import type { Parameters } from './parameters.ts';

/** Returns the REST API without routes. It is regional: only then may a stream be idle for more than 30 seconds. */
export function restApi(scope: Construct, parameters: Parameters): RestApi {
  const api = new RestApi(scope, 'Rest', {
    restApiName: 'deployment-webhooks',
    description: 'Push to deploy',
    endpointTypes: [EndpointType.REGIONAL],
    // API Gateway writes no log in an account without this role, not even the access log.
    cloudWatchRole: true,
    deployOptions: stage(scope),
  });
  acknowledge(api);
  setVariables(api, parameters);
  return api;
}

/**
 * A variable, because a change of it is in effect at once: what is written into the API itself needs a new deployment
 * of it. An empty one is not accepted.
 */
function setVariables(api: RestApi, { allowedOrigins }: Parameters): void {
  const given = new CfnCondition(api, 'OriginsGiven', {
    expression: Fn.conditionNot(Fn.conditionEquals(allowedOrigins.valueAsString, '')),
  });
  const stage = api.deploymentStage.node.defaultChild;
  if (!(stage instanceof CfnStage)) throw new Error('The stage has no resource in the template.');
  const variables = Fn.conditionIf(given.logicalId, { allowedOrigins: allowedOrigins.valueAsString }, Aws.NO_VALUE);
  stage.addPropertyOverride('Variables', variables);
}

function stage(scope: Construct): StageOptions {
  const accessLog = new LogGroup(scope, 'AccessLog', {
    retention: RetentionDays.ONE_MONTH,
    removalPolicy: RemovalPolicy.DESTROY,
  });
  return {
    stageName: 'live',
    throttlingRateLimit: 50,
    throttlingBurstLimit: 100,
    // Metrics of the whole API are free; those of each method would cost 0.30 dollars apiece.
    metricsEnabled: false,
    accessLogDestination: new LogGroupLogDestination(accessLog),
    accessLogFormat: AccessLogFormat.custom(JSON.stringify(ACCESS_LOG_LINE)),
  };
}

/** Neither headers nor the query: both may hold secrets. */
const ACCESS_LOG_LINE = {
  uuid: AccessLogField.contextRequestId(),
  time: AccessLogField.contextRequestTimeEpoch(),
  ip: AccessLogField.contextIdentitySourceIp(),
  user: AccessLogField.contextAuthorizerPrincipalId(),
  method: AccessLogField.contextHttpMethod(),
  resource: AccessLogField.contextResourcePath(),
  path: AccessLogField.contextPath(),
  status: AccessLogField.contextStatus(),
  milliseconds: AccessLogField.contextResponseLatency(),
  bytes: AccessLogField.contextResponseLength(),
  refusedAs: AccessLogField.contextErrorResponseType(),
  functionError: AccessLogField.contextIntegrationErrorMessage(),
};

function acknowledge(api: RestApi): void {
  Validations.of(api).acknowledge(
    {
      id: 'AwsSolutions-APIG2',
      reason: 'Bodies come in five layouts whatever their content type says; the functions check.',
    },
    {
      id: 'AwsSolutions-APIG3',
      reason: 'A firewall is the operator’s choice (Firewall): it costs more than the service.',
    },
    {
      id: 'AwsSolutions-APIG6',
      reason: 'Execution logs hold headers and queries, and so credentials; the access log has the rest.',
    },
    { id: 'AwsSolutions-COG4', reason: 'The users are those of the hosting platform; the authorizer asks it.' },
    {
      id: 'AwsSolutions-IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/service-role/AmazonAPIGatewayPushToCloudWatchLogs]',
      reason: 'API Gateway accepts this role for the account only with what the managed policy allows.',
    },
  );
}
