import { once } from '../../../core/concurrency.ts';
import { DeployError } from '../../../core/errors.ts';
import type { Clock } from '../../../core/ports/system.ts';
import { optionalVariable, variable } from '../../aws/environment.ts';
import type { Platform } from '../platform.ts';

/** Returns the platform that runs each application as a Lambda function of this account. */
export function awsLambda(clock: Clock): Platform {
  const settings = once(() => ({
    names: variable('PLATFORM_PARTS'),
    watcher: optionalVariable('PLATFORM_WATCHER'),
  }));
  const parts = once(async () =>
    (await import('./parts.ts')).connectParts({ ...settings(), table: await table(), clock }),
  );
  return {
    hosting: async () => (await import('./hosting.ts')).lambdaPlatform(await parts()),
    applications: async () => (await import('./table/applications.ts')).tableApplications({ table: await table() }),
    operations: async () => (await import('./run/operations.ts')).lambdaAppOperations(await parts()),
    variables: async () => (await import('./run/app-variables.ts')).lambdaAppVariables(await parts()),
    processes: async () => ({
      list: async (app) => (await import('./jobs/cron-table.ts')).lambdaCronList(await parts())(app),
      scale: noProcesses,
    }),
    domains: async () => ({ list: noDomains, add: noDomains, remove: noDomains }),
    // The functions that have it mostly do something else: its clients are loaded by the first command.
    runs: async () => {
      settings();
      const runs = once(async () => (await import('./jobs/runs.ts')).lambdaRuns(await parts()));
      return {
        start: async (...given) => (await runs()).start(...given),
        read: async (...given) => (await runs()).read(...given),
        write: async (...given) => (await runs()).write(...given),
      };
    },
    output: async () => (await import('./run/app-output.ts')).lambdaAppOutput(await parts()),
    builds: async () => (await import('./build/build-output.ts')).lambdaBuildOutput(await parts()),
    health: async () => (await import('./run/app-health.ts')).lambdaAppHealth(await parts()),
    cron: async () => (await import('./jobs/cron-table.ts')).lambdaCron(await parts()),
    events: async () => (await import('./table/app-events.ts')).tableAppEvents(await table(), clock),
  };
}

/** Lambda serves a function at its own URL only. */
async function noDomains(): Promise<never> {
  const detail =
    'An application on AWS Lambda answers at the URL of its function only. For a domain, make a distribution of CloudFront, or a custom domain of API Gateway, in front of that URL in the console of AWS.';
  throw new DeployError('request:not_supported', detail);
}

async function noProcesses(): Promise<never> {
  const detail =
    'On AWS Lambda an application has no processes: it runs only while it is called, as with web=auto. Processes that go on need the service on one machine.';
  throw new DeployError('request:not_supported', detail);
}

async function table() {
  const name = variable('PLATFORM_TABLE');
  const { dynamoDb } = await import('../../aws/dynamodb.ts');
  return (await import('./table/table.ts')).platformTable({ client: dynamoDb(), table: name });
}
