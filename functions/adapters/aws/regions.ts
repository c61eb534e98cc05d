/** The region of a stack that may be deployed to any. */
export type Region = string | undefined;

/**
 * The regions in which CodeBuild builds on Lambda; in the others it builds in a container on x86-64.
 * https://docs.aws.amazon.com/codebuild/latest/userguide/lambda.html#lambda.regions (November 2026)
 */
export const LAMBDA_COMPUTE: readonly string[] = [
  ...['us-east-1', 'us-east-2', 'us-west-2', 'ap-south-1', 'ap-southeast-1', 'ap-southeast-2', 'ap-northeast-1'],
  ...['eu-central-1', 'eu-west-1', 'sa-east-1'],
];

/**
 * The regions that have the Lambda Web Adapter, and with it Lambda.
 * https://github.com/aws/aws-lambda-web-adapter/blob/main/.github/workflows/prod.json (November 2026)
 */
const WEB_ADAPTER: readonly string[] = [
  ...['af-south-1', 'ap-east-1', 'ap-east-2', 'ap-northeast-1', 'ap-northeast-2', 'ap-northeast-3', 'ap-south-1'],
  ...['ap-south-2', 'ap-southeast-1', 'ap-southeast-2', 'ap-southeast-3', 'ap-southeast-4', 'ap-southeast-5'],
  ...['ap-southeast-6', 'ap-southeast-7', 'ca-central-1', 'ca-west-1', 'eu-central-1', 'eu-central-2', 'eu-north-1'],
  ...['eu-south-1', 'eu-south-2', 'eu-west-1', 'eu-west-2', 'eu-west-3', 'il-central-1', 'me-central-1'],
  ...['mx-central-1', 'sa-east-1', 'us-east-1', 'us-east-2', 'us-west-1', 'us-west-2'],
];

/**
 * Regions that have no function URLs, at which applications answer, by the last edition of AWS's documentation that has
 * named some. Today it names none, and refers to a table without a text:
 * https://docs.aws.amazon.com/lambda/latest/dg/urls-configuration.html (November 2026)
 */
const WITHOUT_URLS: readonly string[] = [
  ...['ap-east-2', 'ap-south-2', 'ap-southeast-4', 'ap-southeast-5', 'ap-southeast-6', 'ap-southeast-7', 'ca-west-1'],
  ...['eu-central-2', 'eu-south-2', 'il-central-1', 'me-central-1'],
];

/** A type of the stack's resources that CloudFormation has in some regions only; WAF's it has in all. */
type RareType = 'AWS::ApiGatewayV2::Api' | 'AWS::CodeBuild::Project' | 'AWS::Budgets::Budget';

/**
 * The regions whose CloudFormation does not have a type, by AWS's schemas of each region as of cfn-lint 1.51.0
 * (November 2026): `cfnlint.schema.manager.PROVIDER_SCHEMA_MANAGER.get_resource_types(region)`. CloudFormation refuses
 * a template with such a type, and perhaps also where its condition is false.
 * https://github.com/aws-cloudformation/cloudformation-coverage-roadmap/issues/2177
 */
const LACKING: Readonly<Record<RareType, readonly string[]>> = {
  'AWS::ApiGatewayV2::Api': ['ap-east-2', 'ap-southeast-6'],
  'AWS::CodeBuild::Project': ['ap-east-2', 'ca-west-1', 'mx-central-1'],
  'AWS::Budgets::Budget': [
    ...['af-south-1', 'ap-east-1', 'ap-east-2', 'ap-northeast-3', 'ap-south-2', 'ap-southeast-3', 'ap-southeast-4'],
    ...['ap-southeast-5', 'ap-southeast-6', 'ap-southeast-7', 'ca-west-1', 'eu-central-2', 'eu-north-1', 'eu-south-1'],
    ...['eu-south-2', 'il-central-1', 'me-central-1', 'me-south-1', 'mx-central-1', 'us-gov-east-1', 'us-gov-west-1'],
  ],
};

/** Whether a region does not have a type of resource. An unknown region is taken to have all. */
export function lacks(region: Region, type: RareType): boolean {
  return region !== undefined && LACKING[type].includes(region);
}

/** Whether applications can run on Lambda in a region; null when that is not known. */
export function canRunApps(region: string): boolean | null {
  if (/^(?:cn|us-gov|us-iso\w*|eu-iso\w*|eusc)-/.test(region) || lacks(region, 'AWS::CodeBuild::Project')) return false;
  return WEB_ADAPTER.includes(region) || null;
}

/** Whether a region may have no function URLs, without which no application starts. */
export function mayLackUrls(region: string): boolean {
  return WITHOUT_URLS.includes(region);
}

/**
 * The Lambda Web Adapter, a public layer of AWS; 27 is version 1.0.1.
 * https://aws.github.io/aws-lambda-web-adapter/getting-started/zip-packages.html
 */
const ADAPTER_VERSION = 27;
const ADAPTER_ACCOUNT = '753240598075';

interface Place {
  readonly partition: string;
  readonly region: string;
  readonly architecture: string;
}

/** Returns the ARN of the layer with which applications run; `Arm64` or `X86`, and all may be references of a template. */
export function adapterLayer({ partition, region, architecture }: Place): string {
  return `arn:${partition}:lambda:${region}:${ADAPTER_ACCOUNT}:layer:LambdaAdapterLayer${architecture}:${ADAPTER_VERSION}`;
}
