import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { bundle, functionNames } from '../../../../lib/stack/bundles.ts';

/** Inside the project, because what is bundled finds its packages from where it lies. */
const local = fileURLToPath(new URL('../../../../.local', import.meta.url));
let folder = '';
let functions = '';
let outdir = '';

beforeEach(() => {
  mkdirSync(local, { recursive: true });
  folder = mkdtempSync(join(local, 'bundles-'));
  functions = join(folder, 'functions');
  outdir = join(folder, 'out');
});

afterEach(() => rmSync(folder, { recursive: true }));

function write(name: string, source: string): void {
  mkdirSync(join(functions, name, '..'), { recursive: true });
  writeFileSync(join(functions, name), source);
}

/** In a process of its own, as plain Node: the test runner would load it in its own way. */
function run(name: string): unknown {
  const script = `import(${JSON.stringify(join(outdir, name, 'index.mjs'))}).then(async ({ handler }) => console.log(JSON.stringify(await handler())))`;
  return JSON.parse(execFileSync(process.execPath, ['--eval', script], { encoding: 'utf8', stdio: 'pipe' }));
}

describe('bundle', () => {
  const source = "export const handler = async () => 'hello';";

  it('writes one module per folder that has a handler, and ignores other folders', async () => {
    write('core/words.ts', "export const greeting: string = 'hello';");
    write(
      'greet/handler.ts',
      "import { greeting } from '../core/words.ts'; export const handler = async () => greeting;",
    );
    write('count/handler.ts', 'export const handler = async () => [1, 2, 3].length;');

    expect(await functionNames(functions)).toEqual(['count', 'greet']);
    expect(await bundle({ functions, outdir })).toEqual(['count', 'greet']);
    expect(run('greet')).toBe('hello');
    expect(run('count')).toBe(3);
    expect(readdirSync(join(outdir)).sort()).toEqual(['count', 'greet', 'maps']);
  });

  it('writes the source maps outside the deployed folders', async () => {
    write('greet/handler.ts', source);
    await bundle({ functions, outdir });
    expect(readdirSync(join(outdir, 'greet'))).toEqual(['index.mjs']);
    const map = JSON.parse(readFileSync(join(outdir, 'maps', 'greet', 'index.mjs.map'), 'utf8'));
    expect(map).toMatchObject({ version: 3, sources: ['../greet/handler.ts'] });
    expect(map.sourcesContent).toBeUndefined();
  });

  it('leaves nothing of an earlier run in the folders that are deployed', async () => {
    write('greet/handler.ts', "export const handler = async () => (await import('../core/words.ts')).greeting;");
    write('core/words.ts', "export const greeting = 'hello';");
    await bundle({ functions, outdir });
    expect(readdirSync(join(outdir, 'greet'))).toHaveLength(2);
    write('greet/handler.ts', source);
    await bundle({ functions, outdir });
    expect(readdirSync(join(outdir, 'greet'))).toEqual(['index.mjs']);
    expect(readdirSync(join(outdir, 'maps', 'greet'))).toEqual(['index.mjs.map']);
  });

  it('writes the same code without source maps', async () => {
    write('greet/handler.ts', source);
    await bundle({ functions, outdir });
    const first = readFileSync(join(outdir, 'greet', 'index.mjs'), 'utf8');
    rmSync(outdir, { recursive: true });
    await bundle({ functions, outdir, maps: false });
    expect(readdirSync(outdir)).toEqual(['greet']);
    expect(readFileSync(join(outdir, 'greet', 'index.mjs'), 'utf8')).toBe(first);
  });

  it('lets a CommonJS dependency require Node’s own modules', async () => {
    write(
      'pack/handler.ts',
      "import { pack } from 'tar-stream'; export const handler = async () => typeof pack().entry;",
    );
    await bundle({ functions, outdir });
    expect(run('pack')).toBe('function');
  });

  it('includes the SDK, so that the tested version runs on Lambda', async () => {
    write(
      'send/handler.ts',
      "import { SQSClient } from '@aws-sdk/client-sqs'; export const handler = () => new SQSClient({ region: 'eu-west-1' }).config.region();",
    );
    await bundle({ functions, outdir });
    expect(run('send')).toBe('eu-west-1');
    for (const file of readdirSync(join(outdir, 'send'))) {
      const imported = readFileSync(join(outdir, 'send', file), 'utf8').matchAll(/\bfrom ?["']([^"']+)["']/g);
      for (const [, specifier] of imported) expect(specifier).toMatch(/^node:|^[a-z0-9_/]+$|^\.\/[\w-]+\.mjs$/);
    }
  });

  it('writes dynamic imports into files of their own, so that a cold start does not read them', async () => {
    write('core/later.ts', "export const late = 'much later';");
    write('greet/handler.ts', "export const handler = async () => (await import('../core/later.ts')).late;");
    await bundle({ functions, outdir });
    expect(readFileSync(join(outdir, 'greet', 'index.mjs'), 'utf8')).not.toContain('much later');
    expect(run('greet')).toBe('much later');
  });

  it('leaves out what only the other functions import when they need it', async () => {
    write('core/later.ts', "export const late = 'much later';");
    const table = "export const one = async () => 1; export const two = async () => (await import('./later.ts')).late;";
    write('core/table.ts', table);
    write('greet/handler.ts', "import { two } from '../core/table.ts'; export const handler = async () => two();");
    write('count/handler.ts', "import { one } from '../core/table.ts'; export const handler = async () => one();");
    await bundle({ functions, outdir });
    expect([run('greet'), run('count')]).toEqual(['much later', 1]);
    expect(readdirSync(join(outdir, 'count'))).toEqual(['index.mjs']);
  });

  it('produces the same bytes for the same sources', async () => {
    write('pack/handler.ts', "import { pack } from 'tar-stream'; export const handler = async () => typeof pack;");
    await bundle({ functions, outdir });
    const first = readFileSync(join(outdir, 'pack', 'index.mjs'));
    await bundle({ functions, outdir });
    expect(readFileSync(join(outdir, 'pack', 'index.mjs')).equals(first)).toBe(true);
  });

  it('names the file and line of a build error, and writes nothing', async () => {
    write('broken/handler.ts', 'export const handler = async () => {\n  return (;\n};');
    await expect(bundle({ functions, outdir })).rejects.toThrow(/broken\/handler\.ts:2/);
    expect(existsSync(join(outdir, 'broken'))).toBe(false);
  });
});

// https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html
it('Each function of the service is far below the 50 MB that Lambda takes, also before it is packed', async () => {
  const names = await bundle({ functions: join(local, '..', 'functions'), outdir, maps: false });
  const bytesOf = (path: string) =>
    readdirSync(path, { recursive: true, withFileTypes: true })
      .filter((file) => file.isFile())
      .reduce((sum, file) => sum + statSync(join(file.parentPath, file.name)).size, 0);
  expect(names.filter((name) => bytesOf(join(outdir, name)) > 5_000_000)).toEqual([]);
});
