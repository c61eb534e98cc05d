import { Aws, CfnCondition, Fn, RemovalPolicy, Validations } from 'aws-cdk-lib';
import {
  AccessLogField,
  AccessLogFormat,
  ApiDefinition,
  CfnStage,
  EndpointType,
  LogGroupLogDestination,
  RestApiMode,
  SpecRestApi,
  type StageOptions,
} from 'aws-cdk-lib/aws-apigateway';
import { LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import type { Parameters } from '../parameters.ts';

const STAGE = 'live';

/** The stage's variable with the base address in links, for the gateway's own responses. */
export const BASE_VARIABLE = 'baseUrl';

/** Returns the REST API of a definition. It is regional: only then may a stream be idle for more than 30 seconds. */
export function restApi(scope: Construct, definition: object, parameters: Parameters): SpecRestApi {
  const api = new SpecRestApi(scope, 'Rest', {
    // Its metrics have no other name.
    restApiName: Aws.STACK_NAME,
    apiDefinition: ApiDefinition.fromInline(definition),
    // By default an import leaves what the definition does not have any more, and here it sets no type of endpoint.
    mode: RestApiMode.OVERWRITE,
    endpointTypes: [EndpointType.REGIONAL],
    parameters: { endpointConfigurationTypes: EndpointType.REGIONAL },
    // API Gateway writes no log in an account without this role, not even the access log.
    cloudWatchRole: true,
    deployOptions: stage(scope),
  });
  acknowledge(api);
  setVariables(api, parameters);
  return api;
}

/**
 * Variables, because a change of them is in effect at once: what is written into the API itself needs a new deployment
 * of it, which a parameter cannot cause. An empty one is not accepted.
 */
function setVariables(api: SpecRestApi, parameters: Parameters): void {
  const { allowedOrigins } = parameters;
  const given = new CfnCondition(api, 'OriginsGiven', {
    expression: Fn.conditionNot(Fn.conditionEquals(allowedOrigins.valueAsString, '')),
  });
  const stage = api.deploymentStage.node.defaultChild;
  if (!(stage instanceof CfnStage)) throw new Error('The stage has no resource in the template.');
  stage.variables = {
    [BASE_VARIABLE]: baseAddress(api, parameters),
    allowedOrigins: Fn.conditionIf(given.logicalId, allowedOrigins.valueAsString, Aws.NO_VALUE).toString(),
  };
}

/**
 * The base address in links: the one that the operator has set, without a slash at its end, or that of the stage.
 */
function baseAddress(api: SpecRestApi, { publicUrl }: Parameters): string {
  const given = new CfnCondition(api, 'PublicUrlGiven', {
    expression: Fn.conditionNot(Fn.conditionEquals(publicUrl.valueAsString, '')),
  });
  // CloudFormation cannot trim. The mark at the end tells a slash there from the other ones.
  const marked = Fn.join('', [publicUrl.valueAsString, '|']);
  const trimmed = Fn.select(0, Fn.split('|', Fn.select(0, Fn.split('/|', marked))));
  const withoutDomain = `https://${api.restApiId}.execute-api.${Aws.REGION}.${Aws.URL_SUFFIX}/${STAGE}`;
  return Fn.conditionIf(given.logicalId, trimmed, withoutDomain).toString();
}

function stage(scope: Construct): StageOptions {
  const accessLog = new LogGroup(scope, 'AccessLog', {
    retention: RetentionDays.ONE_MONTH,
    removalPolicy: RemovalPolicy.DESTROY,
  });
  return {
    stageName: STAGE,
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

function acknowledge(api: SpecRestApi): void {
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
    {
      id: 'AwsSolutions-IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/service-role/AmazonAPIGatewayPushToCloudWatchLogs]',
      reason: 'API Gateway accepts this role for the account only with what the managed policy allows.',
    },
  );
}
