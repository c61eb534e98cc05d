import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeEach, describe, expect, it } from 'vitest';
import { entry } from '../../../support/cli-entries.ts';
import { cliAt, ok, problem } from '../../../support/cli-service.ts';
import { newFolder } from '../../../support/new-folder.ts';

const app = (more: object = {}) => ({
  name: 'shop',
  app: 'shop',
  repository: { host: 'github', owner: 'octo', name: 'shop', url: null, private: false },
  branch: 'main',
  state: 'running',
  url: 'http://127.0.0.1:9000',
  active: entry(12, { status: 'ok' }),
  rollback: [entry(9, { status: 'ok' })],
  ...more,
});

let folder: string;
beforeEach(() => {
  folder = newFolder('apps');
  mkdirSync(join(folder, '.git'));
});

describe('apps', () => {
  it('has a line for each application with its state, address, repository and live entry', async () => {
    const never = app({ name: '@octo/new', state: 'never', repository: null, branch: null, active: null });
    const { code, out, calls } = await cliAt('apps', [ok({ apps: [app(), never] })]);
    expect(code).toBe(0);
    expect(calls).toEqual(['GET /1/apps/kiwi']);
    expect(out.split('\n')).toEqual([
      'shop       running  http://127.0.0.1:9000  octo/shop main  #12',
      '@octo/new  never    -                      -               -',
      '',
    ]);
  });

  it('prints one object a line with --json', async () => {
    const sent = [app({ more: 1 }), app({ name: 'cart' })];
    expect((await cliAt('apps --json', [ok({ apps: sent })])).out).toBe(
      sent.map((one) => `${JSON.stringify(one)}\n`).join(''),
    );
  });

  it('lists all pages', async () => {
    const [first, second] = ['shop', 'cart'].map((name) => ({ total: 2, apps: [app({ name })] }));
    const { out, calls } = await cliAt('apps', [ok(first), ok(second)]);
    expect(out.split('\n').map((line) => line.split(' ')[0])).toEqual(['shop', 'cart', '']);
    expect(calls).toEqual(['GET /1/apps/kiwi', 'GET /1/apps/kiwi?skip=1']);
  });

  it('says how to make one when there is none', async () => {
    const { code, out, err } = await cliAt('apps', [ok({ apps: [] })]);
    expect([code, out]).toEqual([0, '']);
    expect(err).toContain('There is no application yet');
  });
});

describe('The application of a command', () => {
  const open = (args: string, at: string) => cliAt(`open ${args}`, [ok(app())], { folder: at });

  it('is the one that is named, encoded for the path', async () => {
    expect((await open('@octo/shop', folder)).calls).toEqual(['GET /1/apps/kiwi/%40octo%2Fshop']);
  });

  it('is by default that of the package.json in the folder, or above it', async () => {
    writeFileSync(join(folder, 'package.json'), '{"name":"@octo/here"}');
    mkdirSync(join(folder, 'src/deep'), { recursive: true });
    for (const at of [folder, join(folder, 'src/deep')]) {
      expect((await open('', at)).calls).toEqual(['GET /1/apps/kiwi/%40octo%2Fhere']);
    }
  });

  it.each(['no file', 'no name', 'no JSON', 'only outside of the repository', 'only that of this command line'])(
    'is asked for when there is %s',
    async (what) => {
      if (what === 'no name') writeFileSync(join(folder, 'package.json'), '{}');
      if (what === 'no JSON') writeFileSync(join(folder, 'package.json'), '{');
      const inner = join(folder, 'inner');
      mkdirSync(join(inner, '.git'), { recursive: true });
      if (what.startsWith('only outside')) writeFileSync(join(folder, 'package.json'), '{"name":"outside"}');
      const own = fileURLToPath(new URL('../../../..', import.meta.url));
      const { code, err, calls } = await open('', what.includes('command line') ? own.replace(/\/$/, '') : inner);
      expect([code, calls]).toEqual([2, []]);
      expect(err).toContain('Which application?');
    },
  );
});

describe('open', () => {
  it('prints the address', async () => {
    expect((await cliAt('open shop', [ok(app())])).out).toBe('http://127.0.0.1:9000\n');
    const { out } = await cliAt('open shop --json', [ok(app())]);
    expect(JSON.parse(out)).toEqual({ name: 'shop', url: 'http://127.0.0.1:9000' });
  });

  it('starts the browser on a terminal, and only for addresses', async () => {
    const browser = join(folder, 'browser');
    writeFileSync(
      browser,
      `#!/bin/sh\necho "$@" > '${folder}/opened.part' && mv '${folder}/opened.part' '${folder}/opened'\n`,
      {
        mode: 0o755,
      },
    );
    const options = { terminal: true, env: { BROWSER: browser } };
    await cliAt('open shop', [ok(app({ url: 'file:///etc/passwd' }))], options);
    expect((await cliAt('open shop', [ok(app())], options)).code).toBe(0);
    await expect.poll(() => readIfThere(join(folder, 'opened'))).toBe('http://127.0.0.1:9000\n');
  });

  it('works where there is no browser', async () => {
    const options = { terminal: true, env: { BROWSER: '/nowhere/browser' } };
    expect(await cliAt('open shop', [ok(app())], options)).toMatchObject({ code: 0, out: 'http://127.0.0.1:9000\n' });
  });

  it('says what to do about an application that was never live, or that is not there', async () => {
    const never = await cliAt('open shop', [ok(app({ url: null }))]);
    expect([never.code, never.err]).toEqual([1, expect.stringContaining('"hooks status shop" says why')]);
    const unknown = await cliAt('open shop', [problem(404, 'status:db:not_found', 'You have no application "shop".')]);
    expect([unknown.code, unknown.err]).toEqual([1, expect.stringContaining('You have no application "shop".')]);
  });
});

function readIfThere(file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return null;
  }
}
