import type { Warn } from '../invoke/invoker.ts';
import type { Resource, Template } from '../template/template.ts';

/** The types of resources that are created, run or served here. */
const SUPPORTED = [
  /^AWS::ApiGateway::(?:RestApi|Stage)$/,
  /^AWS::ApiGatewayV2::(?:Authorizer|Integration|Route|RouteResponse|Stage)$/,
  /^AWS::(?:CodeBuild::Project|Events::Rule|KMS::Key|S3::Bucket|SQS::Queue|SecretsManager::Secret)$/,
  /^AWS::(?:DynamoDB::(?:Global)?Table|Lambda::(?:EventSourceMapping|Function|Permission))$/,
];

/** Permissions, logs, alarms and deployments: an application behaves the same without them. */
const WITHOUT_EFFECT = [
  /^AWS::(?:IAM|Logs|CloudWatch)::/,
  /^AWS::CDK::Metadata$/,
  /^AWS::Lambda::EventInvokeConfig$/,
  /^AWS::ApiGateway::(?:Account|Deployment)$/,
  /^AWS::(?:S3::BucketPolicy|SQS::QueuePolicy)$/,
  /^AWS::SNS::(?:Topic|TopicPolicy)$/,
];

/** Properties that have no effect here although an application may depend on them. */
const CONDITIONS: Readonly<Record<string, (properties: Resource['properties']) => string | undefined>> = {
  'AWS::ApiGatewayV2::Api': ({ ProtocolType: protocol }) =>
    protocol === 'WEBSOCKET' ? undefined : `its protocol is ${protocol}; only WEBSOCKET is supported`,
  'AWS::S3::Bucket': ({ NotificationConfiguration }) =>
    NotificationConfiguration === undefined ? undefined : 'its notifications are not sent',
  'AWS::SNS::Subscription': ({ Protocol: protocol }) => (protocol === 'email' ? undefined : 'topics deliver nothing'),
};

/**
 * Warns of each resource of the template that AWS would run and aws-local does not, by its logical id, so that no
 * missing resource goes unnoticed.
 */
export function warnOfUnsupported(template: Template, warn: Warn): void {
  for (const resource of template.resources.values()) {
    const reason = reasonFor(resource);
    if (reason !== undefined) warn(`${resource.logicalId} (${resource.type}) does not run here: ${reason}.`);
  }
}

function reasonFor({ type, properties }: Resource): string | undefined {
  const condition = CONDITIONS[type];
  if (condition) return condition(properties);
  const isKnown = [...SUPPORTED, ...WITHOUT_EFFECT].some((pattern) => pattern.test(type));
  return isKnown ? undefined : 'aws-local does not know the type';
}
