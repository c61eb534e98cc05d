import { chmodSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { App, Validations } from 'aws-cdk-lib';
import { type CloudAssembly, VALIDATE_AGAINST_DEFAULT_RULES } from 'aws-cdk-lib/cx-api';
import recommendedFlags from 'aws-cdk-lib/recommended-feature-flags.json' with { type: 'json' };
import { AwsSolutionsChecks } from 'cdk-nag';
import { bundle } from './bundles.ts';
import { ServiceStack } from './service-stack.ts';

const project = fileURLToPath(new URL('../..', import.meta.url));

/**
 * A part of the name of each asset, which is that of its content and not of its modes: with another one, a deploy
 * replaces what an earlier deploy has stored with modes that Lambda cannot read.
 */
export const ASSET_SALT = 'modes';

/**
 * The name of the stack unless the CDK's context has another one at `stack`: `cdk deploy -c stack=trial trial`. It is that
 * of its template, too: `<name>.template.json` in the synthesised folder.
 */
export const STACK_ID = 'DeploymentWebhooks';

interface SynthesiseOptions {
  /** Folder for the template, the assets and, in `bundles/`, the bundles. */
  readonly outdir: string;
  /** Folder with the functions' sources; default: `functions` of the project. */
  readonly functions?: string;
  /**
   * Whether the output is for AWS; default true. One that only runs on this machine is made in a third of the time: the
   * template is not checked against CloudFormation's own rules, and there are no source maps. cdk-nag always runs.
   */
  readonly forAws?: boolean;
  /** The region that it is for, so that it has only types of resources that are there; default: it has all. */
  readonly region?: string | undefined;
}

/**
 * Bundles the functions and writes the template of the whole service. Needs neither an account nor a network; the same
 * sources produce the same template.
 *
 * Throws when a function does not build, when CloudFormation would refuse the template, and when the stack breaks a
 * rule of cdk-nag's AWS Solutions. The findings are printed to standard error and written to `validation-report.json`
 * beside the template.
 */
export async function synthesise({
  outdir,
  functions = join(project, 'functions'),
  forAws = true,
  region,
}: SynthesiseOptions): Promise<CloudAssembly> {
  const bundles = join(outdir, 'bundles');
  await bundle({ functions, outdir: bundles, maps: forAws });
  const app = checkedApp({ outdir, checkTemplate: forAws });
  const name: unknown = app.node.tryGetContext('stack') ?? STACK_ID;
  new ServiceStack(app, String(name), { bundles, region, description: 'Push to deploy, by webhooks' });
  const assembly = app.synth();
  readableByAll(outdir);
  return assembly;
}

/**
 * Lambda runs code as a user who does not own its files, and an archive keeps their modes, which follow from the umask
 * of whoever synthesises and has cloned the sources.
 * https://docs.aws.amazon.com/lambda/latest/dg/troubleshooting-deployment.html
 */
function readableByAll(folder: string): void {
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    const path = join(folder, name);
    chmodSync(path, statSync(path).isDirectory() || name.endsWith('.sh') ? 0o755 : 0o644);
  }
}

/**
 * Returns an app whose synthesis throws when one of its stacks breaks a rule. Exceptions from cdk-nag's rules are
 * acknowledged at the construct, with a reason.
 */
export function checkedApp({ outdir, checkTemplate }: { outdir: string; checkTemplate: boolean }): App {
  const app = new App({
    outdir,
    analyticsReporting: false,
    builtinCloudFormationValidation: checkTemplate,
    // The output must depend on the sources alone, not on where the program was called.
    stackTraces: false,
    treeMetadata: false,
    // Not in cdk.json, which only the command line reads: the template must be the same without it. The second entry
    // turns what CloudFormation would refuse from a warning into an error.
    context: {
      ...recommendedFlags,
      [VALIDATE_AGAINST_DEFAULT_RULES]: true,
      '@aws-cdk/core:assetHashSalt': ASSET_SALT,
    },
  });
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
  return app;
}
