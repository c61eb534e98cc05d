import { GetAccountSettingsCommand, GetLayerVersionByArnCommand } from '@aws-sdk/client-lambda';
import { GetServiceQuotaCommand, NoSuchResourceException, ServiceQuotasClient } from '@aws-sdk/client-service-quotas';
import { QUOTAS, type Quota, quotaLink } from '../../../../functions/adapters/aws/quotas.ts';
import {
  adapterLayer,
  canRunApps,
  LAMBDA_COMPUTE,
  lacks,
  mayLackUrls,
} from '../../../../functions/adapters/aws/regions.ts';
import { stages } from '../../../client/entry.ts';
import { printable } from '../../../terminal/printable.ts';
import type { Account } from '../account.ts';
import type { Stack } from '../stack.ts';

/** Problems of an account and a region before a deploy, with their remedies. */
export interface Findings {
  /** Each makes the deploy fail for certain. */
  readonly refusals: readonly string[];
  readonly warnings: readonly string[];
  /** How many functions may run at a time; undefined when that cannot be asked. */
  readonly concurrency: number | undefined;
  /** How many concurrent runs are reserved for no function. */
  readonly unreserved: number | undefined;
  /** False when CodeBuild may run no build. */
  readonly canBuild: boolean;
}

export interface Wanted {
  /** As they were given: `AppConcurrency=20`. */
  readonly given: readonly string[];
  /** The deployed stack; null before the first deploy. */
  readonly stack: Stack | null;
  /** Of the stack. */
  readonly name: string;
}

/** New accounts may run 10 functions at a time, others 1000. */
export const SMALL_ACCOUNT = 100;
/**
 * Lambda reserves nothing beyond this, in accounts of both kinds; it documents 100.
 * https://docs.aws.amazon.com/lambda/latest/dg/configuration-concurrency.html (November 2026)
 */
export const UNRESERVED = { least: 10, documented: 100 };

/** Checks what AWS would refuse minutes later, and what the first applications would meet. It changes nothing. */
export async function checkAccount(account: Account, wanted: Wanted): Promise<Findings> {
  const value = valueIn(wanted);
  const region = checkRegion(account, value);
  const runsApps = canRunApps(account.region) !== false;
  const builds = runsApps ? await buildsOf(account, wanted) : {};
  const layer = runsApps ? await checkLayer(account) : NONE;
  // Without permission to ask, nothing is known of the account.
  const { AccountLimit } = (await account.lambda.send(new GetAccountSettingsCommand({})).catch(() => null)) ?? {};
  const { ConcurrentExecutions: concurrency, UnreservedConcurrentExecutions: unreserved } = AccountLimit ?? {};
  const reserved = checkReserved(wanted, unreserved);
  const few = concurrency !== undefined && concurrency < SMALL_ACCOUNT;
  return {
    refusals: [...ownRoles(account, wanted), ...region.refusals, ...layer.refusals, ...reserved.refusals],
    warnings: [
      ...region.warnings,
      ...layer.warnings,
      ...reserved.warnings,
      ...(few
        ? [`The account may run ${concurrency} functions at a time. ${increase(QUOTAS.concurrency, 1000, account)}`]
        : []),
      ...(builds.problem ? [builds.problem] : []),
    ],
    concurrency,
    unreserved,
    canBuild: builds.limit !== 0,
  };
}

/** Returns the value that a parameter will have; undefined for its default. */
export function valueIn({ given, stack }: Pick<Wanted, 'given' | 'stack'>): (name: string) => string | undefined {
  return (name) =>
    given.findLast((one) => one.startsWith(`${name}=`))?.slice(name.length + 1) ?? stack?.parameters[name];
}

type Problems = Pick<Findings, 'refusals' | 'warnings'>;
const NONE: Problems = { refusals: [], warnings: [] };

/** The policy that bounds roles of single applications, which this version removes, cannot go while there are some. */
function ownRoles({ region }: Account, { stack, name }: Wanted): readonly string[] {
  if (stack?.parameters.AppRoles !== 'own') return [];
  return [
    `The stack has AppRoles=own, and all applications share one role now. First, with the version before: deploy --parameters AppRoles=shared, restart each application, and delete the roles "${name}-app-${region}-…" in IAM.`,
  ];
}

function checkRegion({ region, id }: Account, value: ReturnType<typeof valueIn>): Problems {
  const elsewhere = `set AWS_REGION to one of ${LAMBDA_COMPUTE.join(', ')}`;
  if (lacks(region, 'AWS::ApiGatewayV2::Api')) {
    return { refusals: [`${region} has no WebSocket APIs, which the service needs: ${elsewhere}.`], warnings: [] };
  }
  const canRun = canRunApps(region);
  const refusals = canRun === false ? [`${region} lacks what builds and runs applications: ${elsewhere}.`] : [];
  const warnings: string[] = [];
  if (canRun === null)
    warnings.push(`It is not known whether ${region} has all that is needed. If the deploy fails, ${elsewhere}.`);
  if (canRun && mayLackUrls(region)) {
    warnings.push(
      `AWS had no function URLs in ${region}, at which applications answer: if the first one does not start, ${elsewhere}.`,
    );
  }
  if (canRun && !LAMBDA_COMPUTE.includes(region)) {
    warnings.push(
      `CodeBuild has no Lambda compute in ${region}: builds run in containers, and applications on x86-64.`,
    );
  }
  const dollars = Number(value('MonthlyBudgetDollars') ?? 0);
  const mail = value('AlarmEmail');
  if (dollars > 0 && mail && lacks(region, 'AWS::Budgets::Budget')) {
    warnings.push(`CloudFormation makes no budgets in ${region}. This makes it: ${budget(id, dollars, mail)}`);
  }
  return { refusals, warnings };
}

/** Budgets have one address for all regions. https://docs.aws.amazon.com/cli/latest/reference/budgets/create-budget.html */
function budget(id: string, dollars: number, mail: string): string {
  const BudgetLimit = { Amount: String(dollars), Unit: 'USD' };
  const about = { BudgetName: 'deployment-webhooks', BudgetType: 'COST', TimeUnit: 'MONTHLY', BudgetLimit };
  const Notification = { NotificationType: 'ACTUAL', ComparisonOperator: 'GREATER_THAN', Threshold: 100 };
  const told = [{ Notification, Subscribers: [{ SubscriptionType: 'EMAIL', Address: mail }] }];
  const text = (json: object) => `'${JSON.stringify(json).replaceAll("'", "'\\''")}'`;
  return `aws budgets create-budget --account-id ${id} --budget ${text(about)} --notifications-with-subscribers ${text(told)}`;
}

/** The sweep, the watch, reconciling, the end of a build and the users have two each. */
const CALLED_BY_FEW = 5 * 2;

/**
 * Returns how many runs the functions reserve: streams of changes, the login, webhooks and each stage, which reserves
 * `StageConcurrency` where that limits it, and those that few call. A test compares it with lib/stack.
 */
export function reservedRuns(
  value: ReturnType<typeof valueIn>,
  each = Number(value('ReservedConcurrency') ?? 0),
): number {
  const ofStage = Number(value('StageConcurrency') ?? 0) || each;
  return Number(value('ChangesConcurrency') ?? 0) + (each && 2 * each + stages.length * ofStage + CALLED_BY_FEW);
}

/** Compares what the functions would reserve with what the account has left. */
function checkReserved({ given, stack }: Wanted, unreserved: number | undefined): Problems {
  const [after, before] = [reservedRuns(valueIn({ given, stack })), reservedRuns(valueIn({ given: [], stack }))];
  const left = (unreserved ?? Number.POSITIVE_INFINITY) - (after - before);
  if (after <= before || left >= UNRESERVED.documented) return NONE;
  const said = `ReservedConcurrency and ChangesConcurrency would leave ${left} unreserved runs of functions`;
  return left < UNRESERVED.least
    ? { refusals: [`${said}, and Lambda keeps ${UNRESERVED.least} at least: reserve less.`], warnings: [] }
    : { refusals: [], warnings: [`${said}, and Lambda documents that it keeps ${UNRESERVED.documented}.`] };
}

/** Asks for the layer without which no application starts. */
async function checkLayer({ lambda, region }: Account): Promise<Problems> {
  const architecture = LAMBDA_COMPUTE.includes(region) ? 'Arm64' : 'X86';
  const Arn = adapterLayer({ partition: 'aws', region, architecture });
  try {
    await lambda.send(new GetLayerVersionByArnCommand({ Arn }));
    return NONE;
  } catch (error) {
    const { name, message } = error instanceof Error ? error : { name: 'no reason given', message: '' };
    // For a version that is not there, Lambda may also say that no policy of the layer allows it.
    if (name === 'ResourceNotFoundException' || /resource-based policy/i.test(message)) {
      const refusal = `There is no layer ${Arn}, with which applications run: no application would start. A newer version of this project may have a newer layer.`;
      return { refusals: [refusal], warnings: [] };
    }
    const warning = `Whether applications can start could not be asked (${printable(name)}): they need the layer ${Arn}.`;
    return { refusals: [], warnings: [warning] };
  }
}

/** Returns how many builds CodeBuild may run at a time, and what is wrong with that. */
async function buildsOf(
  account: Account,
  { stack }: Wanted,
): Promise<{ readonly limit?: number; readonly problem?: string }> {
  const { region } = account;
  const quota = LAMBDA_COMPUTE.includes(region) ? QUOTAS.buildsOnLambda : QUOTAS.buildsInContainers;
  // Later, builds have shown what it is.
  const unsure = stack ? {} : { problem: `${MAY_BE_LESS} ${increase(quota, 10, account)}` };
  const command = new GetServiceQuotaCommand({ ServiceCode: quota.service, QuotaCode: quota.code });
  try {
    const { Quota: applied } = await new ServiceQuotasClient({ region }).send(command);
    const limit = applied?.Value;
    if (limit !== 0) return { ...(limit !== undefined && { limit }), ...unsure };
    return { limit, problem: `CodeBuild may run no build in this account. ${increase(quota, 10, account)}` };
  } catch (error) {
    // The account has AWS's default, which is more than one.
    if (error instanceof NoSuchResourceException) return unsure;
    const why = error instanceof Error ? printable(error.name) : 'no reason given';
    return {
      problem: `How many builds CodeBuild may run could not be asked (${why}); in a new account that can be 0: ${quotaLink(quota, region)}`,
    };
  }
}

const MAY_BE_LESS =
  'CodeBuild may run fewer builds in a new account than Service Quotas shows, or none: then deploys end with “Cannot have more than 0 builds in queue for the account”.';

function increase({ service, code, name }: Quota, wanted: number, { region }: Account): string {
  const command = `aws service-quotas request-service-quota-increase --service-code ${service} --quota-code ${code}`;
  return `To request more of “${name}”: ${command} --desired-value ${wanted} --region ${region}`;
}
