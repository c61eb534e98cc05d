import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { appFiles, serverFile, until } from '../../../support/platform/harness.ts';
import { answering, attempts, isolatedPlatform, trial } from '../../../support/platform/isolated.ts';

const ATTEMPTS = attempts.match(/^ {2}'/gm)?.length;
const TRY = "let found = ''; require('./attempts.cjs').reached().then((all) => { found = all; });";

describe('on a machine of CI', () => {
  it.runIf(process.env.CI === 'true')('applications can be isolated', () => {
    expect(trial).toMatchObject({ command: expect.any(Array) });
  });
});

describe.runIf('command' in trial)('isolated from the service and from each other', () => {
  let at: Awaited<ReturnType<typeof isolatedPlatform>>;
  beforeAll(async () => {
    at = await isolatedPlatform();
  });
  afterAll(() => at.close());

  it('an application reaches nothing that is not its own', async () => {
    await at.live('hostile', '1', appFiles('hostile', serverFile('first')));
    const answer = await at.live('hostile', '2', {
      ...appFiles('hostile', `${TRY} ${answering('JSON.stringify(found)')}`),
      'attempts.cjs': attempts,
      'targets.json': at.targets(),
    });
    await until('it has tried', async () => (await answer()) !== '');
    expect(JSON.parse(await answer())).toEqual({ tried: ATTEMPTS, found: [] });
  });

  it('an install script of a dependency reaches nothing but its own release', async () => {
    const dependency = { name: 'dependency', version: '1.0.0', scripts: { postinstall: 'node tries.js' } };
    const manifest = { name: 'building', version: '1.0.0', dependencies: { dependency: 'file:./dependency' } };
    const answer = await at.live('building', '1', {
      'package.json': JSON.stringify(manifest),
      'dependency/package.json': JSON.stringify(dependency),
      'dependency/tries.js':
        "require('./attempts.cjs').reached().then((all) => require('node:fs').writeFileSync(require('node:path').join(process.env.INIT_CWD, 'found.json'), JSON.stringify(all)));",
      'dependency/attempts.cjs': attempts,
      'dependency/targets.json': at.targets(),
      'server.js': answering("require('node:fs').readFileSync('found.json')"),
    });
    expect(JSON.parse(await answer())).toEqual({ tried: ATTEMPTS, found: [] });
  });
});
