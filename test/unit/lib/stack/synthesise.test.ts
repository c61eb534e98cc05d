import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { FileSystem, Stack } from 'aws-cdk-lib';
import { Bucket, CfnBucket } from 'aws-cdk-lib/aws-s3';
import { beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { NEEDED_VERSION } from '../../../../lib/cli/aws/deploy/deploy.ts';
import { ASSET_SALT, checkedApp, STACK_ID, synthesise } from '../../../../lib/stack/synthesise.ts';
import { newFolder } from '../../../support/new-folder.ts';
import { functionFolders } from '../../../support/template/service-template.ts';

const project = fileURLToPath(new URL('../../../..', import.meta.url));
let folder = '';
let functions = '';

beforeAll(() => {
  folder = newFolder('synthesise');
  functions = join(folder, 'functions');
  compose(functions, functionFolders);
});

/** Writes what makes functions of these names. */
function compose(into: string, names: readonly string[]): void {
  const made = names.map((name) => name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase()));
  mkdirSync(join(into, 'aws'), { recursive: true });
  writeFileSync(
    join(into, 'aws', 'events.ts'),
    made.map((name) => `export const ${name} = () => async () => '${name}';`).join('\n'),
  );
}

/** The list of what a deploy uploads. */
interface Assets {
  readonly files: Readonly<
    Record<
      string,
      {
        readonly source: { readonly path: string; readonly packaging: 'zip' | 'file' };
        readonly destinations: Readonly<Record<string, { readonly bucketName: string }>>;
      }
    >
  >;
}

function sha256(content: Buffer): string {
  return createHash('sha256').update(content).digest('hex');
}

function filesIn(asset: string): string[] {
  return readdirSync(asset, { recursive: true, encoding: 'utf8' }).map((name) => join(asset, name));
}

function templateIn(outdir: string): string {
  return readFileSync(join(outdir, `${STACK_ID}.template.json`), 'utf8');
}

describe('synthesise', () => {
  it('breaks no rule of CloudFormation or cdk-nag', async () => {
    const outdir = join(folder, 'checked');
    await synthesise({ functions, outdir });
    const report = JSON.parse(readFileSync(join(outdir, 'validation-report.json'), 'utf8'));
    // What is acknowledged with a reason is in the report too.
    const violations = report.pluginReports.flatMap((one: { violations?: unknown[] }) => one.violations ?? []);
    expect(violations).toEqual([]);
    expect(report.pluginReports.map(({ conclusion }: { conclusion: string }) => conclusion)).not.toContain('failure');
  }, 120_000);

  it('refers to assets that are there, each named for its content, in the bucket that the CDK prepares', () => {
    const outdir = join(folder, 'checked');
    const { files }: Assets = JSON.parse(readFileSync(join(outdir, `${STACK_ID}.assets.json`), 'utf8'));
    for (const [hash, { source, destinations }] of Object.entries(files)) {
      const path = join(outdir, source.path);
      const content =
        source.packaging === 'zip'
          ? FileSystem.fingerprint(path, { extraHash: ASSET_SALT })
          : sha256(readFileSync(path));
      expect(content, source.path).toBe(hash);
      for (const { bucketName } of Object.values(destinations)) {
        expect(bucketName).toMatch(/^cdk-hnb659fds-assets-/);
      }
    }
    const keys = [...templateIn(outdir).matchAll(/"([0-9a-f]{64})\.zip"/g)].map(([, hash]) => hash);
    expect(keys).toHaveLength(functionFolders.length);
    expect(Object.keys(files)).toEqual(expect.arrayContaining(keys));
  });

  it('needs the version of the CDK’s preparation that "npm run deploy" asks for', () => {
    const outdir = join(folder, 'checked');
    const { artifacts } = JSON.parse(readFileSync(join(outdir, 'manifest.json'), 'utf8'));
    const { requiresBootstrapStackVersion, bootstrapStackVersionSsmParameter } = artifacts[STACK_ID].properties;
    expect(requiresBootstrapStackVersion).toBe(NEEDED_VERSION);
    const { Parameters, Rules } = JSON.parse(templateIn(outdir));
    expect(Parameters.BootstrapVersion.Default).toBe(bootstrapStackVersionSsmParameter);
    const [{ Assert }] = Rules.CheckBootstrapVersion.Assertions;
    const refused = Array.from({ length: NEEDED_VERSION - 1 }, (_, index) => String(index + 1));
    expect(Assert).toEqual({ 'Fn::Not': [{ 'Fn::Contains': [refused, { Ref: 'BootstrapVersion' }] }] });
  });

  it('uses the roles, the bucket and the parameter that "cdk bootstrap" of this checkout makes, and no others', () => {
    const template = join(project, 'node_modules/aws-cdk/lib/api/bootstrap/bootstrap-template.yaml');
    const prepared = readFileSync(template, 'utf8').replaceAll(/\$\{Qualifier\}/g, 'hnb659fds');
    const names = (text: string) => text.match(/(?:\/cdk-bootstrap\/|\bcdk-)hnb659fds[\w/-]*/g) ?? [];
    const outdir = join(folder, 'checked');
    const written = ['manifest.json', `${STACK_ID}.assets.json`, `${STACK_ID}.template.json`].map((file) =>
      readFileSync(join(outdir, file), 'utf8'),
    );
    const used = new Set(written.flatMap(names));
    expect(used.size).toBe(6);
    expect(names(prepared)).toEqual(expect.arrayContaining([...used]));
    const { Value } = parse(prepared).Resources.CdkBootstrapVersion.Properties;
    expect(Number(Value)).toBeGreaterThanOrEqual(NEEDED_VERSION);
  });

  it('has a deploy store the source maps of its bundles, apart from what is deployed', async () => {
    const { Outputs } = JSON.parse(templateIn(join(folder, 'checked')));
    const [, hash = ''] = /([0-9a-f]{64})\.zip$/.exec(Outputs.SourceMaps.Value['Fn::Sub']) ?? [];
    const { files } = JSON.parse(readFileSync(join(folder, 'checked', `${STACK_ID}.assets.json`), 'utf8'));
    const { path } = files[hash].source;
    const map = readFileSync(join(folder, 'checked', path, 'authorize', 'index.mjs.map'), 'utf8');
    expect(JSON.parse(map).sources).toContainEqual(expect.stringContaining('aws/events.ts'));
  });

  it('produces the same template for the same sources in any folder', async () => {
    const [first, second] = [join(folder, 'first'), join(folder, 'second')];
    await synthesise({ functions, outdir: first, forAws: false });
    await synthesise({ functions, outdir: second, forAws: false });
    expect(templateIn(second)).toBe(templateIn(first));
  }, 120_000);

  it('writes what Lambda can read, whatever the umask is', async () => {
    const outdir = join(folder, 'restricted');
    const before = process.umask(0o077);
    try {
      await synthesise({ functions, outdir, forAws: false });
    } finally {
      process.umask(before);
    }
    const { files }: Assets = JSON.parse(readFileSync(join(outdir, `${STACK_ID}.assets.json`), 'utf8'));
    const paths = Object.values(files).flatMap(({ source }) => {
      const asset = join(outdir, source.path);
      return source.packaging === 'zip' ? [asset, ...filesIn(asset)] : [asset];
    });
    expect(paths.filter((path) => path.endsWith('/static-server.cjs'))).toHaveLength(2);
    for (const path of paths) {
      const stat = statSync(path);
      const expected = stat.isDirectory() || path.endsWith('/script-shell.sh') ? 0o755 : 0o644;
      expect((stat.mode & 0o777).toString(8), path).toBe(expected.toString(8));
    }
  }, 120_000);

  it('writes no account, region or local path into the template', async () => {
    const outdir = join(folder, 'agnostic');
    const assembly = await synthesise({ functions, outdir, forAws: false });
    expect(assembly.getStackByName(STACK_ID).environment).toMatchObject({
      account: 'unknown-account',
      region: 'unknown-region',
    });
    expect(templateIn(outdir)).not.toContain(folder);
  }, 120_000);

  it('names a function that is missing', async () => {
    const some = join(folder, 'some');
    compose(some, ['authorize']);
    await expect(synthesise({ functions: some, outdir: join(folder, 'missing') })).rejects.toThrow(
      /Cannot find asset at .*bundles/,
    );
  });
});

describe('checkedApp', () => {
  it('throws when a stack breaks a rule of cdk-nag', () => {
    const app = checkedApp({ outdir: join(folder, 'bad'), checkTemplate: false });
    new Bucket(new Stack(app, 'Bad'), 'Open');
    expect(() => app.synth()).toThrow(/AwsSolutions-S10/);
  });

  it('throws when CloudFormation would refuse a stack', () => {
    const app = checkedApp({ outdir: join(folder, 'refused'), checkTemplate: true });
    new CfnBucket(new Stack(app, 'Refused'), 'Misspelt').addPropertyOverride('BucketNmae', 'tarballs');
    expect(() => app.synth()).toThrow(/BucketNmae/);
  });
});
