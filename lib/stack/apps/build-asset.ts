import { copyFileSync, mkdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Stage } from 'aws-cdk-lib';
import { Asset } from 'aws-cdk-lib/aws-s3-assets';
import type { Construct } from 'constructs';
import { buildSync } from 'esbuild';
import { bundleOfReleases, requireBanner } from '../bundles.ts';

const BUILDER = new URL('../../builder/', import.meta.url);
const PROGRAM = 'build-program.mjs';
/** The program finds them beside itself. */
const FILES = ['process/module-guard.cjs', 'process/script-shell.sh'];

/** The command that runs the program in the folder of the asset. */
export const BUILD_COMMAND = `node ${PROGRAM}`;

/** Adds the program that builds applications, and what it puts into each release. */
export function buildAsset(scope: Construct): Asset {
  const path = join(Stage.of(scope)?.assetOutdir ?? '', 'build-program');
  mkdirSync(path, { recursive: true });
  buildSync({
    entryPoints: [fileURLToPath(new URL('lambda/build-program.ts', BUILDER))],
    outfile: join(path, PROGRAM),
    bundle: true,
    platform: 'node',
    target: 'node20',
    format: 'esm',
    banner: { js: requireBanner },
    minify: true,
    legalComments: 'none',
  });
  bundleOfReleases(path);
  for (const file of FILES) copyFileSync(new URL(file, BUILDER), join(path, basename(file)));
  return new Asset(scope, 'Program', { path });
}
