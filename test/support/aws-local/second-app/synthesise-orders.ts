import { readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { App } from 'aws-cdk-lib';
import { build } from 'esbuild';
import { OrdersStack } from './orders-stack.ts';

const handlers = fileURLToPath(new URL('handlers', import.meta.url));

/**
 * Bundles the handlers and synthesises the shop into a folder, as its own project would; returns the cloud assembly.
 */
export async function synthesiseOrders(folder: string): Promise<string> {
  const bundles = join(folder, 'bundles');
  const names = readdirSync(handlers).map((file) => basename(file, '.ts'));
  await build({
    entryPoints: names.map((name) => ({ in: join(handlers, `${name}.ts`), out: join(name, 'index') })),
    outdir: bundles,
    bundle: true,
    platform: 'node',
    target: 'node20',
    // What CDK's NodejsFunction writes by default: one CommonJS file named index.js.
    format: 'cjs',
    mainFields: ['module', 'main'],
  });
  const outdir = join(folder, 'cdk.out');
  const app = new App({
    outdir,
    analyticsReporting: false,
    // The check against CloudFormation's rules takes most of the synthesis, and nothing is deployed to AWS.
    builtinCloudFormationValidation: false,
    context: { 'aws:cdk:enable-path-metadata': true },
  });
  new OrdersStack(app, 'Orders', bundles);
  app.synth();
  return outdir;
}
