import { awsLambda } from '../../functions/adapters/platform/aws-lambda/platform.ts';
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
  const platform = awsLambda(systemClock);
  return {
    platform: await platform.hosting(),
    applications: await platform.applications(),
    operations: await platform.operations(),
    output: await platform.output(),
    variables: await platform.variables(),
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
