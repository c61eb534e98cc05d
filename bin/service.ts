import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { synthesise } from '../lib/stack/synthesise.ts';

// Lambda reads what is deployed as another user.
process.umask(0o022);
const project = fileURLToPath(new URL('..', import.meta.url));

await synthesise({
  // Set by the CDK command line; `cdk.out` is its default.
  outdir: process.env.CDK_OUTDIR ?? join(project, 'cdk.out'),
  // `npm start` skips what only a deploy to AWS needs.
  forAws: process.env.FOR_AWS !== 'no',
  // Set by the CDK command line as well, where it knows one.
  region: process.env.CDK_DEFAULT_REGION,
});
