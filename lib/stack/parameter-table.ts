import type { CfnParameterProps } from 'aws-cdk-lib';

/**
 * Texts that become variables of functions have limits, because all variables of a function have 4 KB: what is longer
 * would fail in the middle of a deploy. A variable of a stage has 512 characters.
 * https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html
 */
const MAX_LENGTH = { address: 255, origins: 512, hosts: 1024, name: 100, mail: 254 } as const;

const github = [{ name: 'github', kind: 'github', api: 'https://api.github.com', web: 'https://github.com' }];

/**
 * What an operator sets at deploy time, without a new synthesis. All have defaults, and what has a number there takes numbers.
 * The last of them are for applications.
 */
export const PARAMETERS = {
  RepositoryHosts: {
    default: JSON.stringify(github),
    maxLength: MAX_LENGTH.hosts,
    description: 'JSON list of the repository hosts that may be called: name, kind, api and web address of each.',
  },
  DefaultBranch: {
    default: 'master',
    maxLength: MAX_LENGTH.name,
    description: 'Branch that is deployed when the webhook does not name one.',
  },
  HoldMinutes: {
    default: 60,
    minValue: 1,
    description: 'Minutes a deploy waits for continuous integration before it expires.',
  },
  RetryBaseSeconds: {
    default: 30,
    minValue: 0,
    description: 'Seconds before a failed stage is tried again; doubled with each further try.',
  },
  StageConcurrency: {
    // Where there is a limit, Lambda polls an idle queue with five pollers instead of two: 1.20 dollars a month more.
    default: 0,
    minValue: 0,
    maxValue: 1000,
    description: 'Runs of one stage at a time, 2 or more; 2 for a new account, whose limit is 10 in all. 0: no limit.',
  },
  ReservedConcurrency: {
    // None by default: a new account has 10 in all and must leave 10 unreserved.
    default: 0,
    minValue: 0,
    maxValue: 1000,
    description:
      'Runs reserved for the login, webhooks and each stage, 2 or more, and 2 for schedules and events; 0: none.',
  },
  ReconcileMinutes: {
    default: 60,
    minValue: 0,
    description: "Minutes between two comparisons of an application with its branch's tip; 0: pushes may be missed.",
  },
  PreviewDays: {
    default: 14,
    minValue: 1,
    description: 'Days after which the preview of a pull request that nobody has pushed to is removed.',
  },
  ChangesSeconds: {
    default: 300,
    minValue: 1,
    // Lambda's limit.
    maxValue: 900,
    description: 'Seconds that a stream may hold its function; it ends itself before, and its reader connects again.',
  },
  ChangesConcurrency: {
    // None by default: a new account has 10 in all and must leave 10 unreserved.
    default: 0,
    minValue: 0,
    description: 'Streams of changes that may be open at once, reserved from the account for them; 0: no limit.',
  },
  StreamsPerUser: {
    default: 5,
    minValue: 1,
    maxValue: 1000,
    description: 'Streams (changes, followed output) and waiting calls that a user may have open at once.',
  },
  StreamsInAll: {
    // Each holds a function for minutes, even when its reader is gone, and a new account has 10.
    default: 5,
    minValue: 1,
    maxValue: 10_000,
    description: 'The same of all users together: half of the concurrency of a new account.',
  },
  PublicUrl: {
    default: '',
    maxLength: MAX_LENGTH.address,
    // The characters that a stage variable may contain.
    allowedPattern: '(https?://[A-Za-z0-9.:/_~-]+)?',
    constraintDescription: 'must be an address like https://deploy.example.com, of at most 255 characters',
    description: "Base address in links, e.g. of a custom domain; empty: the request's own.",
  },
  PublicSignalsUrl: {
    default: '',
    maxLength: MAX_LENGTH.address,
    allowedPattern: '(wss?://\\S+)?',
    constraintDescription: 'must be wss:// and a host, as in wss://signals.example.com, of at most 255 characters',
    description: "Address of the WebSocket for clients, e.g. of a custom domain; empty: API Gateway's.",
  },
  AllowedOrigins: {
    default: '',
    maxLength: MAX_LENGTH.origins,
    // As above, and no "*": a page of any site could use a login that a browser keeps.
    allowedPattern: '(https?://[A-Za-z0-9.:-]+(,https?://[A-Za-z0-9.:-]+)*)?',
    constraintDescription:
      'must be origins like https://dashboard.example.com, separated by commas, without paths; 512 characters in all',
    description: 'Origins of pages that may call the API from a browser (CORS), separated by commas; empty: none.',
  },
  AlarmEmail: {
    default: '',
    maxLength: MAX_LENGTH.mail,
    description: 'Address that alarms are mailed to; empty: nobody.',
  },
  Firewall: {
    default: 'off',
    allowedValues: ['off', 'on'],
    description: 'Whether a firewall blocks addresses that send too many requests.',
  },
  FirewallRequests: {
    default: 2000,
    minValue: 10,
    description: 'Requests in five minutes beyond which the firewall blocks an address.',
  },
  MonthlyBudgetDollars: {
    default: 0,
    minValue: 0,
    description: "Dollars a month of the account's costs beyond which AlarmEmail gets a mail; 0: no budget.",
  },
  AppTimeoutSeconds: {
    default: 30,
    minValue: 1,
    // Lambda's limit.
    maxValue: 900,
    description: 'Seconds that a request to an application may take.',
  },
  AppConcurrency: {
    // None by default: a browser opens more connections, and what is reserved is lost to the others.
    default: 0,
    minValue: 0,
    maxValue: 1000,
    description: 'Requests to an application at a time, a limit of its cost: others are answered 429. 0: no limit.',
  },
} as const satisfies Readonly<Record<string, CfnParameterProps>>;
