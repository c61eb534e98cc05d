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
import { routes } from '../../../../functions/api/routes.ts';
import { bundle } from '../../../../lib/stack/bundles.ts';

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

/** Writes what makes a function whose handler is that code, after these imports. */
function compose(name: string, handler: string, imports = ''): void {
  write(`aws/${name}.ts`, `${imports}\nexport const ${name} = () => ${handler};`);
}

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
  const hello = "async () => 'hello'";
  const later = "async () => (await import('../core/later.ts')).late";

  it('writes one module for each function that is made in aws, and none for ports.ts', async () => {
    write('core/words.ts', "export const greeting: string = 'hello';");
    write('aws/ports.ts', "export { greeting as words } from '../core/words.ts';");
    compose('greetAll', 'async () => words', "import { words } from './ports.ts';");
    compose('count', 'async () => [1, 2, 3].length');

    expect(await bundle({ functions, outdir })).toEqual(['count', 'greet-all']);
    expect(run('greet-all')).toBe('hello');
    expect(run('count')).toBe(3);
    expect(readdirSync(join(outdir)).sort()).toEqual(['count', 'greet-all', 'maps']);
  });

  it('waits for what makes a function', async () => {
    write('aws/events.ts', "export const greet = async () => async () => 'hello';");
    await bundle({ functions, outdir });
    expect(run('greet')).toBe('hello');
  });

  it('leaves out what the other functions of a file, and of ports.ts, use alone', async () => {
    write('core/one.ts', "export class One { static all = new Map([['one', process.env.ONE]]); }");
    write('core/two.ts', "export class Two { static all = new Map([['two', process.env.TWO]]); }");
    const ports = "import { One } from '../core/one.ts'; import { Two } from '../core/two.ts';";
    write('aws/ports.ts', `${ports} export const one = () => [...One.all]; export const two = () => [...Two.all];`);
    const events = "import { setTimeout } from 'node:timers/promises'; import * as on from './ports.ts';";
    const made = 'export const first = () => async () => on.one(); export const second = () => async () => on.two();';
    write('aws/events.ts', `${events} ${made} export const third = () => async () => setTimeout(1, 1);`);
    await bundle({ functions, outdir });
    const textOf = (name: string) => readFileSync(join(outdir, name, 'index.mjs'), 'utf8');
    expect(run('first')).toEqual([['one', null]]);
    expect([textOf('first').includes('"one"'), textOf('first').includes('"two"')]).toEqual([true, false]);
    expect(textOf('first')).not.toContain('node:timers');
    expect(run('third')).toBe(1);
    expect(textOf('third')).not.toMatch(/"one"|"two"/);
  });

  it('has the table of routes computed, without the rows that it is made of', async () => {
    write('api/rows.ts', "export const rows = [{ path: '/', summary: 'The page of the service' }];");
    write('api/routes.ts', "import { rows } from './rows.ts'; export const routes = rows.map(({ path }) => path);");
    compose('allow', 'async () => routes', "import { routes } from '../api/routes.ts';");
    await bundle({ functions, outdir });
    expect(run('allow')).toEqual(routes);
    expect(readFileSync(join(outdir, 'allow', 'index.mjs'), 'utf8')).not.toContain('The page of the service');
  });

  it('writes the source maps outside the deployed folders', async () => {
    compose('greet', hello);
    await bundle({ functions, outdir });
    expect(readdirSync(join(outdir, 'greet'))).toEqual(['index.mjs']);
    const map = JSON.parse(readFileSync(join(outdir, 'maps', 'greet', 'index.mjs.map'), 'utf8'));
    expect(map).toMatchObject({ version: 3, sources: expect.arrayContaining(['../aws/greet.ts']) });
    expect(map.sourcesContent).toBeUndefined();
  });

  it('leaves nothing of an earlier run in the folders that are deployed', async () => {
    compose('greet', later);
    write('core/later.ts', "export const late = 'much later';");
    await bundle({ functions, outdir });
    expect(readdirSync(join(outdir, 'greet'))).toHaveLength(2);
    compose('greet', hello);
    await bundle({ functions, outdir });
    expect(readdirSync(join(outdir, 'greet'))).toEqual(['index.mjs']);
    expect(readdirSync(join(outdir, 'maps', 'greet'))).toEqual(['index.mjs.map']);
  });

  it('writes the same code without source maps', async () => {
    compose('greet', hello);
    await bundle({ functions, outdir });
    const first = readFileSync(join(outdir, 'greet', 'index.mjs'), 'utf8');
    rmSync(outdir, { recursive: true });
    await bundle({ functions, outdir, maps: false });
    expect(readdirSync(outdir)).toEqual(['greet']);
    expect(readFileSync(join(outdir, 'greet', 'index.mjs'), 'utf8')).toBe(first);
  });

  it('lets a CommonJS dependency require Node’s own modules', async () => {
    compose('tar', 'async () => typeof pack().entry', "import { pack } from 'tar-stream';");
    await bundle({ functions, outdir });
    expect(run('tar')).toBe('function');
  });

  it('includes the SDK, so that the tested version runs on Lambda', async () => {
    const handler = "() => new SQSClient({ region: 'eu-west-1' }).config.region()";
    compose('send', handler, "import { SQSClient } from '@aws-sdk/client-sqs';");
    await bundle({ functions, outdir });
    expect(run('send')).toBe('eu-west-1');
    for (const file of readdirSync(join(outdir, 'send'))) {
      const imported = readFileSync(join(outdir, 'send', file), 'utf8').matchAll(/\bfrom ?["']([^"']+)["']/g);
      for (const [, specifier] of imported) expect(specifier).toMatch(/^node:|^[a-z0-9_/]+$|^\.\/[\w-]+\.mjs$/);
    }
  });

  it('leaves out what only the other functions import when they need it', async () => {
    write('core/later.ts', "export const late = 'much later';");
    const table = "export const one = async () => 1; export const two = async () => (await import('./later.ts')).late;";
    write('core/table.ts', table);
    compose('greet', 'async () => two()', "import { two } from '../core/table.ts';");
    compose('count', 'async () => one()', "import { one } from '../core/table.ts';");
    await bundle({ functions, outdir });
    expect([run('greet'), run('count')]).toEqual(['much later', 1]);
    // In a file of its own, so that a cold start does not read it.
    expect(readFileSync(join(outdir, 'greet', 'index.mjs'), 'utf8')).not.toContain('much later');
    expect(readdirSync(join(outdir, 'count'))).toEqual(['index.mjs']);
  });

  it('names the file and line of a build error, and writes nothing', async () => {
    compose('broken', 'async () => wrong', "import { wrong } from '../core/wrong.ts';");
    write('core/wrong.ts', 'export const wrong = () => {\n  return (;\n};');
    await expect(bundle({ functions, outdir })).rejects.toThrow(/core\/wrong\.ts:2/);
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
}, 120_000);
