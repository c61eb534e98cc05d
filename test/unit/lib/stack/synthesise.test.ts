import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Stack } from 'aws-cdk-lib';
import { Bucket, CfnBucket } from 'aws-cdk-lib/aws-s3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkedApp, STACK_ID, synthesise } from '../../../../lib/stack/synthesise.ts';
import { functionFolders } from '../../../support/service-template.ts';

let folder = '';
let functions = '';

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'synthesise-'));
  functions = join(folder, 'functions');
  for (const name of functionFolders) {
    mkdirSync(join(functions, name), { recursive: true });
    writeFileSync(join(functions, name, 'handler.ts'), `export const handler = async () => '${name}';`);
  }
});

afterAll(() => rmSync(folder, { recursive: true }));

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

  it('has a deploy store the source maps of its bundles, apart from what is deployed', async () => {
    const { Outputs } = JSON.parse(templateIn(join(folder, 'checked')));
    const [, hash = ''] = /([0-9a-f]{64})\.zip$/.exec(Outputs.SourceMaps.Value['Fn::Sub']) ?? [];
    const { files } = JSON.parse(readFileSync(join(folder, 'checked', `${STACK_ID}.assets.json`), 'utf8'));
    const { path } = files[hash].source;
    const map = readFileSync(join(folder, 'checked', path, 'authorize', 'index.mjs.map'), 'utf8');
    expect(JSON.parse(map).sources).toContainEqual(expect.stringContaining('authorize/handler.ts'));
  });

  it('produces the same template for the same sources in any folder', async () => {
    const [first, second] = [join(folder, 'first'), join(folder, 'second')];
    await synthesise({ functions, outdir: first, forAws: false });
    await synthesise({ functions, outdir: second, forAws: false });
    expect(templateIn(second)).toBe(templateIn(first));
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
    mkdirSync(join(some, 'authorize'), { recursive: true });
    writeFileSync(join(some, 'authorize', 'handler.ts'), 'export const handler = async () => 1;');
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
