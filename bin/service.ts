import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { synthesise } from '../lib/stack/synthesise.ts';

const project = fileURLToPath(new URL('..', import.meta.url));

await synthesise({
  // Set by the CDK command line; `cdk.out` is its default.
  outdir: process.env.CDK_OUTDIR ?? join(project, 'cdk.out'),
  // `npm start` skips the validation by CloudFormation's rules, because it deploys nothing to AWS.
  checkTemplate: process.env.CHECK_TEMPLATE !== 'no',
});
