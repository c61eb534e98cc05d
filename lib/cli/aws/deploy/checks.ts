import { GetAccountSettingsCommand, GetLayerVersionByArnCommand } from '@aws-sdk/client-lambda';
import { QUOTAS, type Quota } from '../../../../functions/adapters/aws/quotas.ts';
import {
  adapterLayer,
  canRunApps,
  LAMBDA_COMPUTE,
  lacks,
  mayLackUrls,
} from '../../../../functions/adapters/aws/regions.ts';
import type { Account } from '../account.ts';
import { outgrown, type Runs, SMALL_ACCOUNT, valueIn, type Wanted } from './parameters.ts';

/** Problems of an account and a region before a deploy, with their remedies. */
export interface Findings extends Runs {
  /** What makes the deploy or each application fail for certain; null when nothing does. */
  readonly refusal: string | null;
  readonly warnings: readonly string[];
}

/** Checks what AWS would refuse minutes later, and what the first applications would meet. It changes nothing. */
export async function checkAccount(account: Account, wanted: Wanted): Promise<Findings> {
  const refusal = refusedRegion(account.region) ?? (await missingLayer(account));
  // Without permission to ask, nothing is known of the account.
  const { AccountLimit } = (await account.lambda.send(new GetAccountSettingsCommand({})).catch(() => null)) ?? {};
  const { ConcurrentExecutions: concurrency, UnreservedConcurrentExecutions: unreserved } = AccountLimit ?? {};
  const few = `The account may run ${concurrency} functions at a time. ${increase(QUOTAS.concurrency, 1000, account)}`;
  const warnings = [
    ...regionWarnings(account.region, wanted),
    concurrency !== undefined && concurrency < SMALL_ACCOUNT && few,
    // Later, builds have shown what it is. Service Quotas shows more than CodeBuild enforces in a new account.
    !wanted.stack && `${MAY_BE_LESS} ${increase(buildQuota(account.region), 10, account)}`,
    outgrown(wanted, { concurrency, unreserved }),
  ];
  return { refusal, warnings: warnings.filter((one) => typeof one === 'string'), concurrency, unreserved };
}

const ELSEWHERE = `set AWS_REGION to one of ${LAMBDA_COMPUTE.join(', ')}`;
const MAY_BE_LESS =
  'CodeBuild may run fewer builds in a new account than Service Quotas shows, or none: then deploys end with “Cannot have more than 0 builds in queue for the account”.';

function refusedRegion(region: string): string | null {
  if (lacks(region, 'AWS::ApiGatewayV2::Api')) {
    return `${region} has no WebSocket APIs, which the service needs: ${ELSEWHERE}.`;
  }
  return canRunApps(region) === false ? `${region} lacks what builds and runs applications: ${ELSEWHERE}.` : null;
}

function regionWarnings(region: string, wanted: Wanted) {
  const budget = Number(valueIn(wanted, 'MonthlyBudgetDollars') ?? 0);
  return [
    canRunApps(region) === null &&
      `It is not known whether ${region} has all that is needed. If the deploy fails, ${ELSEWHERE}.`,
    mayLackUrls(region) &&
      `AWS had no function URLs in ${region}, at which applications answer: if the first one does not start, ${ELSEWHERE}.`,
    !LAMBDA_COMPUTE.includes(region) &&
      `CodeBuild has no Lambda compute in ${region}: builds run in containers, and applications on x86-64.`,
    budget > 0 &&
      lacks(region, 'AWS::Budgets::Budget') &&
      `CloudFormation makes no budgets in ${region}: MonthlyBudgetDollars has no effect, and "aws budgets create-budget" makes one.`,
  ];
}

/** Returns that there is no layer without which no application starts; null also when that cannot be asked. */
async function missingLayer({ lambda, region }: Account): Promise<string | null> {
  const architecture = LAMBDA_COMPUTE.includes(region) ? 'Arm64' : 'X86';
  const Arn = adapterLayer({ partition: 'aws', region, architecture });
  try {
    await lambda.send(new GetLayerVersionByArnCommand({ Arn }));
    return null;
  } catch (error) {
    const { name, message } = error instanceof Error ? error : { name: '', message: '' };
    // For a version that is not there, Lambda may also say that no policy of the layer allows it.
    if (name !== 'ResourceNotFoundException' && !/resource-based policy/i.test(message)) return null;
    return `There is no layer ${Arn}, with which applications run: no application would start. A newer version of this project may have a newer layer.`;
  }
}

function buildQuota(region: string): Quota {
  return LAMBDA_COMPUTE.includes(region) ? QUOTAS.buildsOnLambda : QUOTAS.buildsInContainers;
}

function increase({ service, code, name }: Quota, wanted: number, { region }: Account): string {
  const command = `aws service-quotas request-service-quota-increase --service-code ${service} --quota-code ${code}`;
  return `To request more of “${name}”: ${command} --desired-value ${wanted} --region ${region}`;
}
