import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A cloud assembly of one hand-written stack, on disk as `cdk synth` would leave it. */
export interface AssemblyFixture {
  readonly folder: string;
  remove(): void;
}

/**
 * Writes a cloud assembly into a temporary folder.
 *
 * @param bundles source of `index.mjs` by asset name; the template refers to one as `Code: {S3Key: '<name>.zip'}`
 */
export function writeAssembly(template: object, bundles: Record<string, string> = {}): AssemblyFixture {
  const folder = mkdtempSync(join(tmpdir(), 'local-runtime-'));
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
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

/** A function as the template declares it; its bundle is the asset of the same name in lower case. */
export function lambda(asset: string, properties: object = {}): object {
  return {
    Type: 'AWS::Lambda::Function',
    Properties: { Handler: 'index.handler', Code: { S3Bucket: 'assets', S3Key: `${asset}.zip` }, ...properties },
  };
}
