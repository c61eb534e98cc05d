import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { OperatorError } from '../../../lib/files/errors.ts';
import { recordOf } from './intrinsics.ts';

/** The one stack of a synthesised CDK app: its template as parsed JSON, and the paths of its assets. */
export interface Assembly {
  readonly stackName: string;
  readonly template: Record<string, unknown>;
  /** Folder or file of an asset, by its S3 key in the template. */
  readonly assets: ReadonlyMap<string, string>;
}

/**
 * Reads a cloud assembly (`cdk.out`).
 *
 * @throws OperatorError when the folder is not an assembly, or does not hold exactly one stack
 * @see https://github.com/aws/aws-cdk/blob/main/packages/aws-cdk-lib/cloud-assembly-schema/README.md
 */
export function readAssembly(folder: string): Assembly {
  const artifacts = recordOf(recordOf(readJson(join(folder, 'manifest.json'))).artifacts);
  const stacks = Object.entries(artifacts).filter(
    ([, artifact]) => recordOf(artifact).type === 'aws:cloudformation:stack',
  );
  const [stack, ...others] = stacks;
  if (!stack || others.length > 0) throw new OperatorError(`${folder} must hold one stack; it holds ${stacks.length}`);
  const [stackName, artifact] = stack;
  const templateFile = String(recordOf(recordOf(artifact).properties).templateFile);
  return { stackName, template: recordOf(readJson(join(folder, templateFile))), assets: readAssets(folder, artifacts) };
}

function readAssets(folder: string, artifacts: Record<string, unknown>): Map<string, string> {
  const assets = new Map<string, string>();
  for (const artifact of Object.values(artifacts).map(recordOf)) {
    if (artifact.type !== 'cdk:asset-manifest') continue;
    const { files } = recordOf(readJson(join(folder, String(recordOf(artifact.properties).file))));
    for (const file of Object.values(recordOf(files)).map(recordOf)) {
      const path = join(folder, String(recordOf(file.source).path));
      for (const destination of Object.values(recordOf(file.destinations)).map(recordOf)) {
        assets.set(String(destination.objectKey), path);
      }
    }
  }
  return assets;
}

function readJson(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch (cause) {
    throw new OperatorError(`${path} cannot be read; run the synthesis first (npx cdk synth)`, { cause });
  }
}
