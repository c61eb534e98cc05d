import type { Warn } from '../invoke/invoker.ts';
import type { Resource, Template } from '../template/template.ts';

/** The types of resources that aws-local creates, runs or serves. */
const SUPPORTED = [
  'AWS::ApiGateway::Authorizer',
  'AWS::ApiGateway::GatewayResponse',
  'AWS::ApiGateway::Method',
  'AWS::ApiGateway::Resource',
  'AWS::ApiGateway::RestApi',
  'AWS::ApiGateway::Stage',
  'AWS::ApiGatewayV2::Api',
  'AWS::ApiGatewayV2::Authorizer',
  'AWS::ApiGatewayV2::Integration',
  'AWS::ApiGatewayV2::Route',
  'AWS::ApiGatewayV2::RouteResponse',
  'AWS::ApiGatewayV2::Stage',
  'AWS::CodeBuild::Project',
  'AWS::DynamoDB::GlobalTable',
  'AWS::DynamoDB::Table',
  'AWS::Events::Rule',
  'AWS::KMS::Alias',
  'AWS::KMS::Key',
  'AWS::Lambda::EventSourceMapping',
  'AWS::Lambda::Function',
  'AWS::S3::Bucket',
  'AWS::SQS::Queue',
  'AWS::SecretsManager::Secret',
] as const;

/** Permissions, logs, alarms and deployments: an application behaves the same without them. */
const WITHOUT_EFFECT = [
  /^AWS::IAM::/,
  /^AWS::Logs::/,
  /^AWS::CloudWatch::/,
  /^AWS::CDK::Metadata$/,
  /^AWS::Lambda::(?:Permission|EventInvokeConfig|LayerVersionPermission)$/,
  /^AWS::ApiGateway(?:V2)?::(?:Account|Deployment)$/,
  /^AWS::S3::BucketPolicy$/,
  /^AWS::SQS::QueuePolicy$/,
  /^AWS::SNS::(?:Topic|TopicPolicy|Subscription)$/,
];

/** Properties of supported types that have no effect here although an application may depend on them. */
const CONDITIONS: Readonly<Record<string, (properties: Resource['properties']) => string | undefined>> = {
  'AWS::ApiGatewayV2::Api': ({ ProtocolType: protocol }) =>
    protocol === 'WEBSOCKET' ? undefined : `its protocol is ${protocol}; only WEBSOCKET is supported`,
  'AWS::Events::Rule': ({ EventPattern, Targets }) => {
    if (EventPattern !== undefined && !isOfCodeBuild(EventPattern)) return 'only CodeBuild sends events here';
    return Array.isArray(Targets) && Targets.some(({ Arn }) => serviceOf(Arn) !== 'lambda')
      ? 'only targets that are functions are invoked'
      : undefined;
  },
  'AWS::Lambda::EventSourceMapping': ({ EventSourceArn }) =>
    ['sqs', 'dynamodb'].includes(serviceOf(EventSourceArn))
      ? undefined
      : 'only queues and table streams are event sources',
  'AWS::S3::Bucket': ({ NotificationConfiguration }) =>
    NotificationConfiguration === undefined ? undefined : 'its notifications are not sent',
  'AWS::SNS::Subscription': ({ Protocol: protocol }) =>
    ['lambda', 'sqs', 'firehose'].includes(String(protocol)) ? 'topics deliver nothing' : undefined,
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
  const supported: readonly string[] = SUPPORTED;
  if (CONDITIONS[type]) return CONDITIONS[type](properties);
  if (supported.includes(type) || WITHOUT_EFFECT.some((pattern) => pattern.test(type))) return undefined;
  return 'aws-local does not know the type';
}

function isOfCodeBuild(pattern: unknown): boolean {
  return (
    typeof pattern === 'object' && pattern !== null && 'source' in pattern && `${pattern.source}` === 'aws.codebuild'
  );
}

function serviceOf(arn: unknown): string {
  return String(arn).split(':')[2] ?? '';
}
