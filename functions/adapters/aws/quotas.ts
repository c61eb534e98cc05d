/**
 * A quota of an account in a region, as Service Quotas has it. `aws service-quotas list-aws-default-service-quotas
 * --service-code <service>` lists them.
 */
export interface Quota {
  /** Such as `lambda`. */
  readonly service: string;
  /** Such as `L-B99A9384`. */
  readonly code: string;
  readonly name: string;
}

/**
 * The quotas that a deploy can reach (November 2026):
 * https://docs.aws.amazon.com/general/latest/gr/lambda-service.html#limits_lambda
 * https://docs.aws.amazon.com/general/latest/gr/codebuild.html#limits_codebuild
 * https://docs.aws.amazon.com/AmazonCloudWatch/latest/logs/cloudwatch_limits_cwl.html
 */
export const QUOTAS = {
  concurrency: { service: 'lambda', code: 'L-B99A9384', name: 'Concurrent executions' },
  codeStorage: { service: 'lambda', code: 'L-2ACBD22F', name: 'Function and layer storage' },
  controlPlane: { service: 'lambda', code: 'L-B2AA0F47', name: 'Rate of control plane API requests' },
  buildsOnLambda: {
    service: 'codebuild',
    code: 'L-72045165',
    name: 'Concurrently running builds for ARM Lambda/4GB environment',
  },
  buildsInContainers: {
    service: 'codebuild',
    code: 'L-9D07B6EF',
    name: 'Concurrently running builds for Linux/Small environment',
  },
  logGroups: { service: 'logs', code: 'L-C7B9AAAB', name: 'Log groups' },
} as const satisfies Readonly<Record<string, Quota>>;

/** Returns the address of a quota in the console, where an increase is requested. */
export function quotaLink({ service, code }: Quota, region?: string): string {
  const where = region === undefined ? '' : `?region=${region}`;
  return `https://console.aws.amazon.com/servicequotas/home/services/${service}/quotas/${code}${where}`;
}
