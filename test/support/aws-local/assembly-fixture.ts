import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { newFolder } from '../new-folder.ts';

/**
 * Writes a cloud assembly of one hand-written stack, as `cdk synth` would leave it, into a new folder.
 *
 * @param bundles source of `index.mjs` by asset name; the template refers to one as `Code: {S3Key: '<name>.zip'}`
 */
export function writeAssembly(template: object, bundles: Record<string, string> = {}): string {
  const folder = newFolder('local-runtime');
  const write = (name: string, content: object): void => writeFileSync(join(folder, name), JSON.stringify(content));
  const files: Record<string, object> = {};
  for (const [name, source] of Object.entries(bundles)) {
    mkdirSync(join(folder, `asset.${name}`));
    writeFileSync(join(folder, `asset.${name}`, 'index.mjs'), source);
    files[name] = { source: { path: `asset.${name}` }, destinations: { here: { objectKey: `${name}.zip` } } };
  }
  write('Fixture.template.json', template);
  write('Fixture.assets.json', { files });
  write('manifest.json', {
    artifacts: {
      'Fixture.assets': { type: 'cdk:asset-manifest', properties: { file: 'Fixture.assets.json' } },
      Fixture: { type: 'aws:cloudformation:stack', properties: { templateFile: 'Fixture.template.json' } },
    },
  });
  return folder;
}

/** A function as the template declares it; its bundle is the asset of the same name in lower case. */
export function lambda(asset: string, properties: object = {}): object {
  return {
    Type: 'AWS::Lambda::Function',
    Properties: { Handler: 'index.handler', Code: { S3Bucket: 'assets', S3Key: `${asset}.zip` }, ...properties },
  };
}
