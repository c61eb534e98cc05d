import { CfnCondition, CfnParameter, CfnRule, Fn, type Stack } from 'aws-cdk-lib';
import { type AppParameters, appParameters } from './apps/app-parameters.ts';

/**
 * Texts that become variables of functions have limits, because all variables of a function have 4 KB: what is longer
 * would fail in the middle of a deploy. A variable of a stage has 512 characters.
 * https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html
 */
const MAX_LENGTH = { address: 255, origins: 512, hosts: 1024, name: 100, region: 30, mail: 254 } as const;

const github = [{ name: 'github', kind: 'github', api: 'https://api.github.com', web: 'https://github.com' }];

/** The parameters that an operator sets at deploy time, without a new synthesis. */
export interface Parameters extends AppParameters {
  readonly repositoryHosts: CfnParameter;
  readonly defaultBranch: CfnParameter;
  readonly holdMinutes: CfnParameter;
  readonly retryBaseSeconds: CfnParameter;
  readonly stageConcurrency: CfnParameter;
  readonly reservedConcurrency: CfnParameter;
  /** Whether the stages have a limit of runs at a time, as a small account needs it. */
  readonly limitsStages: CfnCondition;
  /** Whether the login, webhooks and stages have reserved runs. */
  readonly reserves: CfnCondition;
  readonly reconcileMinutes: CfnParameter;
  readonly previewDays: CfnParameter;
  readonly changesSeconds: CfnParameter;
  readonly changesConcurrency: CfnParameter;
  readonly streamsPerUser: CfnParameter;
  readonly streamsInAll: CfnParameter;
  readonly publicUrl: CfnParameter;
  readonly allowedOrigins: CfnParameter;
  readonly publicSignalsUrl: CfnParameter;
  readonly alarmEmail: CfnParameter;
  readonly firewall: CfnParameter;
  readonly firewallRequests: CfnParameter;
  readonly monthlyBudgetDollars: CfnParameter;
}

/** Adds the parameters to the stack. All have defaults. */
export function parameters(stack: Stack): Parameters {
  return {
    ...appParameters(stack),
    ...deployParameters(stack),
    ...changesParameters(stack),
    ...addressParameters(stack),
    ...optionalParameters(stack),
  };
}

function deployParameters(stack: Stack) {
  const stageConcurrency = stageConcurrencyParameter(stack);
  const reservedConcurrency = new CfnParameter(stack, 'ReservedConcurrency', {
    type: 'Number',
    // None by default: a new account has 10 in all and must leave 10 unreserved.
    default: 0,
    minValue: 0,
    maxValue: 1000,
    description: 'Runs reserved for the login, webhooks and each stage, 2 or more; 0: they share with applications.',
  });
  for (const one of [stageConcurrency, reservedConcurrency]) neverOne(one);
  return {
    reservedConcurrency,
    limitsStages: notZero('LimitGiven', stageConcurrency),
    reserves: notZero('ReservationGiven', reservedConcurrency),
    repositoryHosts: new CfnParameter(stack, 'RepositoryHosts', {
      default: JSON.stringify(github),
      maxLength: MAX_LENGTH.hosts,
      description: 'JSON list of the repository hosts that may be called: name, kind, api and web address of each.',
    }),
    defaultBranch: new CfnParameter(stack, 'DefaultBranch', {
      default: 'master',
      maxLength: MAX_LENGTH.name,
      description: 'Branch that is deployed when the webhook does not name one.',
    }),
    holdMinutes: new CfnParameter(stack, 'HoldMinutes', {
      type: 'Number',
      default: 60,
      minValue: 1,
      description: 'Minutes a deploy waits for continuous integration before it expires.',
    }),
    retryBaseSeconds: new CfnParameter(stack, 'RetryBaseSeconds', {
      type: 'Number',
      default: 30,
      minValue: 0,
      description: 'Seconds before a failed stage is tried again; doubled with each further try.',
    }),
    stageConcurrency,
    reconcileMinutes: new CfnParameter(stack, 'ReconcileMinutes', {
      type: 'Number',
      default: 60,
      minValue: 0,
      description: "Minutes between two comparisons of an application with its branch's tip; 0: pushes may be missed.",
    }),
    previewDays: new CfnParameter(stack, 'PreviewDays', {
      type: 'Number',
      default: 14,
      minValue: 1,
      description: 'Days after which the preview of a pull request that nobody has pushed to is removed.',
    }),
  };
}

function notZero(id: string, { stack, valueAsString }: CfnParameter): CfnCondition {
  return new CfnCondition(stack, id, { expression: Fn.conditionNot(Fn.conditionEquals(valueAsString, '0')) });
}

function stageConcurrencyParameter(stack: Stack): CfnParameter {
  return new CfnParameter(stack, 'StageConcurrency', {
    type: 'Number',
    // With a limit, Lambda polls an idle queue with five pollers instead of two: 1.20 dollars a month more.
    default: 0,
    minValue: 0,
    maxValue: 1000,
    description: 'Runs of one stage at a time, 2 or more; 2 for a new account, whose limit is 10 in all. 0: no limit.',
  });
}

/** A list of numbers allows no range with a gap in it, so a rule refuses the 1 before anything is changed. */
function neverOne({ stack, node: { id }, valueAsString }: CfnParameter): void {
  new CfnRule(stack, `${id}IsPossible`, {
    assertions: [
      {
        // https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-scaling.html#events-sqs-max-concurrency
        assert: Fn.conditionNot(Fn.conditionEquals(valueAsString, '1')),
        assertDescription: `${id} is 2 or more, or 0 for no limit: Lambda allows no limit of 1 at a queue.`,
      },
    ],
  });
}

function changesParameters(stack: Stack) {
  return {
    changesSeconds: new CfnParameter(stack, 'ChangesSeconds', {
      type: 'Number',
      default: 300,
      minValue: 1,
      // Lambda's limit.
      maxValue: 900,
      description: 'Seconds that a stream may hold its function; it ends itself before, and its reader connects again.',
    }),
    changesConcurrency: new CfnParameter(stack, 'ChangesConcurrency', {
      type: 'Number',
      // None by default: a new account has 10 in all and must leave 10 unreserved.
      default: 0,
      minValue: 0,
      description: 'Streams of changes that may be open at once, reserved from the account for them; 0: no limit.',
    }),
    streamsPerUser: new CfnParameter(stack, 'StreamsPerUser', {
      type: 'Number',
      default: 5,
      minValue: 1,
      maxValue: 1000,
      description: 'Streams (changes, followed output) and waiting calls that a user may have open at once.',
    }),
    streamsInAll: new CfnParameter(stack, 'StreamsInAll', {
      type: 'Number',
      // Each holds a function for minutes, even when its reader is gone, and a new account has 10.
      default: 5,
      minValue: 1,
      maxValue: 10_000,
      description: 'The same of all users together: half of the concurrency of a new account.',
    }),
  };
}

function addressParameters(stack: Stack) {
  return {
    publicUrl: new CfnParameter(stack, 'PublicUrl', {
      default: '',
      maxLength: MAX_LENGTH.address,
      // The characters that a stage variable may contain.
      allowedPattern: '(https?://[A-Za-z0-9.:/_~-]+)?',
      constraintDescription: 'must be an address like https://deploy.example.com, of at most 255 characters',
      description: "Base address in links, e.g. of a custom domain; empty: the request's own.",
    }),
    publicSignalsUrl: new CfnParameter(stack, 'PublicSignalsUrl', {
      default: '',
      maxLength: MAX_LENGTH.address,
      allowedPattern: '(wss?://\\S+)?',
      constraintDescription: 'must be wss:// and a host, as in wss://signals.example.com, of at most 255 characters',
      description: "Address of the WebSocket for clients, e.g. of a custom domain; empty: API Gateway's.",
    }),
    allowedOrigins: new CfnParameter(stack, 'AllowedOrigins', {
      default: '',
      maxLength: MAX_LENGTH.origins,
      // As above, and no "*": a page of any site could use a login that a browser keeps.
      allowedPattern: '(https?://[A-Za-z0-9.:-]+(,https?://[A-Za-z0-9.:-]+)*)?',
      constraintDescription:
        'must be origins like https://dashboard.example.com, separated by commas, without paths; 512 characters in all',
      description: 'Origins of pages that may call the API from a browser (CORS), separated by commas; empty: none.',
    }),
    alarmEmail: new CfnParameter(stack, 'AlarmEmail', {
      default: '',
      maxLength: MAX_LENGTH.mail,
      description: 'Address that alarms are mailed to; empty: nobody.',
    }),
  };
}

/** Options that cost extra, or concern more than this stack; none is on by default. */
function optionalParameters(stack: Stack) {
  return {
    firewall: new CfnParameter(stack, 'Firewall', {
      default: 'off',
      allowedValues: ['off', 'on'],
      description: 'Whether a firewall blocks addresses that send too many requests.',
    }),
    firewallRequests: new CfnParameter(stack, 'FirewallRequests', {
      type: 'Number',
      default: 2000,
      minValue: 10,
      description: 'Requests in five minutes beyond which the firewall blocks an address.',
    }),
    monthlyBudgetDollars: new CfnParameter(stack, 'MonthlyBudgetDollars', {
      type: 'Number',
      default: 0,
      minValue: 0,
      description: "Dollars a month of the account's costs beyond which AlarmEmail gets a mail; 0: no budget.",
    }),
  };
}
