import { readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { App } from 'aws-cdk-lib';
import { build } from 'esbuild';

/** A CDK app to synthesise. */
export interface AppSource {
  /** Address of the folder of its handlers. */
  readonly handlers: URL;
  /** Adds the stack; `bundles` holds a folder for each handler. */
  readonly addStack: (app: App, bundles: string) => void;
}

/** Bundles the handlers and synthesises an app into a folder, as its own project would; returns the cloud assembly. */
export async function synthesiseApp(folder: string, { handlers, addStack }: AppSource): Promise<string> {
  const bundles = join(folder, 'bundles');
  const sources = fileURLToPath(handlers);
  const names = readdirSync(sources).map((file) => basename(file, '.ts'));
  await build({
    entryPoints: names.map((name) => ({ in: join(sources, `${name}.ts`), out: join(name, 'index') })),
    outdir: bundles,
    bundle: true,
    platform: 'node',
    target: 'node20',
    format: 'esm',
    outExtension: { '.js': '.mjs' },
    mainFields: ['module', 'main'],
    banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
  });
  const outdir = join(folder, 'cdk.out');
  const app = new App({
    outdir,
    analyticsReporting: false,
    // The check against CloudFormation's rules takes most of the synthesis, and nothing is deployed to AWS.
    builtinCloudFormationValidation: false,
    context: { 'aws:cdk:enable-path-metadata': true },
  });
  addStack(app, bundles);
  app.synth();
  return outdir;
}
