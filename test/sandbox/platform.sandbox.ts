import { connectParts } from '../../functions/adapters/platform/aws-lambda/connect-parts.ts';
import { lambdaPlatform } from '../../functions/adapters/platform/aws-lambda/hosting.ts';
import { lambdaAppOutput } from '../../functions/adapters/platform/aws-lambda/run/app-output.ts';
import { lambdaAppVariables } from '../../functions/adapters/platform/aws-lambda/run/app-variables.ts';
import { lambdaAppOperations } from '../../functions/adapters/platform/aws-lambda/run/operations.ts';
import { tableApplications } from '../../functions/adapters/platform/in-table/applications.ts';
import { systemClock } from '../../functions/adapters/system/clock.ts';
import { type ApplicationsUnderTest, applicationsContract } from '../contracts/applications.ts';
import { hostingPlatformContract } from '../contracts/hosting-platform.ts';
import { filesOf, tarball } from '../support/platform/embedded.ts';
import { asDeployed } from './deployed.ts';

let suites = 0;

/** The platform of the deployed stack: Lambda, CodeBuild, S3, DynamoDB and KMS as they are. */
async function onAws(): Promise<ApplicationsUnderTest> {
  await asDeployed();
  suites += 1;
  const parts = connectParts(systemClock);
  return {
    platform: lambdaPlatform(parts),
    applications: tableApplications(parts),
    operations: lambdaAppOperations(parts),
    output: lambdaAppOutput(parts),
    variables: lambdaAppVariables(parts),
    // Each suite begins with no applications; what it leaves, npm run destroy removes.
    user: `sandbox-${Date.now()}-${suites}`,
    // CodeBuild has to start a container first.
    buildLimitMs: 10 * 60_000,
    tarball: (app, version, works) => tarball(filesOf(app, version, works)),
    version: async (_app, url) => (await fetch(url)).text(),
    close: async () => {},
  };
}

hostingPlatformContract('AWS Lambda in a real account', onAws);
applicationsContract('AWS Lambda in a real account', onAws);
