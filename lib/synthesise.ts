import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { App, Validations } from 'aws-cdk-lib';
import type { CloudAssembly } from 'aws-cdk-lib/cx-api';
import { AwsSolutionsChecks } from 'cdk-nag';
import { bundle } from './bundles.ts';
import { ServiceStack } from './service-stack.ts';

const project = fileURLToPath(new URL('..', import.meta.url));

/** The name of the stack, and of its template `<stackId>.template.json` in the synthesised folder. */
export const stackId = 'DeploymentWebhooks';

/** Where to read and to write. */
export interface SynthesiseOptions {
  /** Folder for the template, the assets and, in `bundles/`, the bundles; default: `cdk.out` of the project. */
  readonly outdir?: string;
  /** Folder with the functions' sources; default: `functions` of the project. */
  readonly functions?: string;
}

/**
 * Bundles the functions and writes the template of the whole service. Needs neither an account nor a network, and gives
 * the same template for the same sources.
 *
 * Throws when a function does not build, and when the stack breaks a rule of cdk-nag's AWS Solutions: what is wrong
 * where goes to standard error and into `policy-validation-report.json` beside the template.
 */
export async function synthesise({
  outdir = join(project, 'cdk.out'),
  functions = join(project, 'functions'),
}: SynthesiseOptions = {}): Promise<CloudAssembly> {
  const bundles = join(outdir, 'bundles');
  await bundle({ functions, outdir: bundles });
  const app = new App({ outdir, analyticsReporting: false, treeMetadata: false });
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app, { verbose: true }));
  new ServiceStack(app, stackId, { bundles, description: 'Push to deploy, by webhooks' });
  return app.synth();
}
