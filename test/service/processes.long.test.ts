import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CliRun, cli } from '../support/cli.ts';
import { application, type GitFolder, gitFolder } from '../support/service/git-folder.ts';
import { testFolder } from '../support/service/place.ts';
import { type ServiceUnderTest, type Started, startForTest } from '../support/service/started.ts';

const name = 'processes';
const dataDir = join(testFolder, `${name}-${process.pid}`);

const files = {
  ...application('shop', 'up'),
  'worker.js': "console.log('the worker works'); process.on('message', () => {}); setInterval(() => {}, 1000);",
  'seed.js':
    "process.stdin.on('data', (d) => console.log(process.env.WORD, process.argv[2], String(d))).on('end', () => process.exit(5))",
  Procfile: 'web: node server.js\nworker: node worker.js\nrelease: echo migrated\n',
};

describe('processes on one machine', () => {
  let started: Started<ServiceUnderTest>;
  let tree: GitFolder;

  const hooks = (args: string | readonly string[], more: object = {}): Promise<CliRun> =>
    cli(args, {
      env: { PATH: process.env.PATH, HOME: tree.folder, GIT_CONFIG_NOSYSTEM: '1', DATA_DIR: dataDir },
      folder: tree.folder,
      ...more,
    });

  beforeAll(async () => {
    started = await startForTest(name);
    tree = gitFolder('nowhere');
    tree.git('remote', 'remove', 'origin');
    tree.commit(files);
    const deployed = await hooks('deploy');
    expect(deployed.out + deployed.err).toContain('live');
  });
  afterAll(async () => {
    await started?.close();
  });

  it('the worker of a push runs, is listed, scaled, and its output is its own', async () => {
    await expect.poll(async () => (await hooks('logs --process worker')).out).toContain('worker.1: the worker works');
    expect((await hooks('ps')).out).toMatch(
      /^web\.1 +running .* MB +node server\.js\nworker\.1 +running .* MB +node worker\.js\n$/,
    );

    const { out } = await hooks('scale worker=2');

    expect(out.split('\n').map((line) => line.split(' ')[0])).toEqual(['web.1', 'worker.1', 'worker.2', '']);
    expect((await hooks('scale mailer=1')).err).toContain('shop has no process mailer; it has web, worker.');
  });

  it('a one-off command has the variables, the input and its own exit code', async () => {
    await hooks('env set WORD=seeded');

    const { code, out, err } = await hooks(['run', '--', 'node', 'seed.js', '--force'], { stdin: 'from stdin' });

    expect([code, out, err]).toEqual([5, 'seeded --force from stdin\n', '']);
    expect((await hooks('run -- no-such-program')).err).toContain('The program "no-such-program" was not found.');
  });

  it('Ctrl-C is passed on to a one-off command, whose last words are seen', async () => {
    const script =
      "process.on('SIGINT', () => { console.log('bye'); process.exit(9); }); console.log('up'); setInterval(() => {}, 1000);";
    const { code, out } = await hooks(['run', '--', 'node', '-e', script], {
      onOutput: (soFar: string) => soFar.includes('up'),
    });
    expect([code, out]).toEqual([9, 'up\nbye\n']);
  });
});
