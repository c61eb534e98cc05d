import { type Call, type CommandDefinition, JSON_OPTION } from '../command.ts';
import { type Cdk, cdkProgram } from './cdk.ts';

const CREDENTIALS = `Credentials and region are those of all tools of AWS: AWS_PROFILE or AWS_ACCESS_KEY_ID and
AWS_SECRET_ACCESS_KEY, AWS_REGION, or the profile in ~/.aws.`;

const USER_ARGUMENT = { name: '<user>', about: 'letters, digits, dots, dashes and underscores' };
const TOKEN_ARGUMENT = { name: '<token>', about: 'the name of the token: what it is for' };
const PASSWORD_OPTION = {
  flags: '--password-stdin',
  about: 'read the password from standard input; default: one is made up',
};

const STACK_OPTION = {
  flags: '--stack <name>',
  about: 'the name of the stack, for several in one account and region; default: DeploymentWebhooks',
};

type Users = typeof import('./users.ts');

/** The clients of AWS take half a second to load, which no other command should wait for. */
const run = (command: keyof Users) => async (call: Call) => (await import('./users.ts'))[command](call);

const users: CommandDefinition = {
  name: 'users',
  summary: 'List, add and remove the users of the service on AWS, and their API tokens',
  details: CREDENTIALS,
  examples: [['hooks aws users', 'the users and the names of their tokens']],
  subcommands: [
    {
      name: 'list',
      summary: 'List the users of the service on AWS, with the names of their tokens',
      options: [JSON_OPTION, STACK_OPTION],
      examples: [['hooks aws users', 'who may log in']],
      run: run('listUsers'),
    },
    {
      name: 'add',
      summary: 'Add a user; the password is printed this once',
      args: [USER_ARGUMENT],
      options: [PASSWORD_OPTION, STACK_OPTION],
      examples: [['hooks aws users add ann', 'makes a password up']],
      run: run('addUser'),
    },
    {
      name: 'password',
      summary: 'Replace the password of a user; tokens stay',
      args: [USER_ARGUMENT],
      options: [PASSWORD_OPTION, STACK_OPTION],
      examples: [['hooks aws users password ann', 'makes a password up']],
      run: run('setPassword'),
    },
    {
      name: 'token',
      summary: 'Make an API token for a user, which is printed this once',
      args: [USER_ARGUMENT, TOKEN_ARGUMENT],
      options: [STACK_OPTION],
      examples: [['hooks aws users token ann github', 'for the webhook at GitHub']],
      run: run('makeToken'),
    },
    {
      name: 'revoke',
      summary: 'End an API token of a user',
      args: [USER_ARGUMENT, TOKEN_ARGUMENT],
      options: [STACK_OPTION],
      examples: [['hooks aws users revoke ann github', 'calls with that token are refused from then on']],
      run: run('revokeToken'),
    },
    {
      name: 'remove',
      summary: 'Remove a user with all tokens; the applications stay',
      args: [USER_ARGUMENT],
      options: [{ flags: '--yes', about: 'do not ask' }, STACK_OPTION],
      examples: [['hooks aws users remove ann', 'asks to type "ann"']],
      run: run('removeUser'),
    },
  ],
};

/** Returns the command `aws`, which deploys the service into an account with the given CDK. */
export function awsCommand(cdk: Cdk): CommandDefinition {
  return {
    name: 'aws',
    summary: 'Deploy the service into an account of AWS, delete it there, and manage its users',
    details: CREDENTIALS,
    examples: [['hooks aws', 'what is deployed']],
    subcommands: [
      {
        name: 'show',
        summary: 'Show the service in an account of AWS: its state, outputs and parameters',
        details: CREDENTIALS,
        options: [JSON_OPTION, STACK_OPTION],
        examples: [['hooks aws show', 'its address, and what it was deployed with']],
        run: async (call) => (await import('./stack.ts')).showStack(call),
      },
      {
        name: 'deploy',
        summary: 'Deploy the service into an account of AWS, or update it there',
        details: `Checks the region and the quotas of the account first, and says what mends what is missing. Prepares the
account and region for the CDK where that has not been done, and shows the progress of CloudFormation. The first time it
adds a user with two API tokens, and prints them this once. Parameters that are not given keep their values.
${CREDENTIALS}`,
        options: [
          { flags: '--parameters <pairs...>', about: 'parameters of the stack: AlarmEmail=ops@example.com' },
          { flags: '--user <name>', about: 'the first user; default: admin' },
          { flags: '--dry-run', about: 'check the account, show what would change, and create nothing' },
          STACK_OPTION,
        ],
        examples: [
          ['hooks aws deploy', 'the same as: npm run deploy'],
          ['hooks aws deploy --parameters AlarmEmail=ops@example.com', 'alarms are mailed there'],
          ['hooks aws deploy --parameters DefaultBranch=main HoldMinutes=30', 'several parameters'],
          ['hooks aws deploy --dry-run', 'what it would change: npm run diff'],
          ['hooks aws deploy --stack trial', 'a second one beside it'],
        ],
        run: async (call) => (await import('./deploy/deploy.ts')).deploy(call, cdk),
      },
      {
        name: 'destroy',
        summary: 'Delete the service and its applications from an account of AWS',
        details: `Asks for the name of the stack. The log, users, variables, releases and the key stay, and are listed;
lib/stack/removal.md says why, and what deletes them. ${CREDENTIALS}`,
        options: [{ flags: '--yes', about: 'do not ask' }, STACK_OPTION],
        examples: [['hooks aws destroy', 'the same as: npm run destroy']],
        run: async (call) => (await import('./destroy.ts')).destroy(call, cdk),
      },
      users,
    ],
  };
}

/** The command with the CDK of this checkout. */
export const aws: CommandDefinition = awsCommand(cdkProgram);
