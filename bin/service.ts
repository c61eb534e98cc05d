import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { synthesise } from '../lib/stack/synthesise.ts';

const project = fileURLToPath(new URL('..', import.meta.url));

await synthesise({
  // The CDK command line says where it wants the output; without it, that is where it would look by itself.
  outdir: process.env.CDK_OUTDIR ?? join(project, 'cdk.out'),
  // `npm start` leaves out the check against CloudFormation's own rules: nothing is deployed to AWS then.
  checkTemplate: process.env.CHECK_TEMPLATE !== 'no',
});
