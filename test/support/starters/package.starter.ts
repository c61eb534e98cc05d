import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { project, testFolder } from '../service/place.ts';
import { gone, type ServiceProcess, startProcess } from '../service/service-process.ts';

const folder = join(testFolder, `package-${process.pid}`);
let service: ServiceProcess | undefined;

/** The line of the README about packages, with what `npm pack` leaves for `<package>`. */
const packed = async () => {
  const { stdout } = await promisify(execFile)('npm', ['pack', '--silent', '--pack-destination', folder], {
    cwd: project,
  });
  const [, line = ''] =
    /`(npx \S+<package> start)`/.exec(readFileSync(join(project, 'lib/local/README.md'), 'utf8')) ?? [];
  return line.replace('$PWD', folder).replace('<package>', stdout.trim()).split(' ');
};

beforeAll(() => void mkdirSync(folder, { recursive: true }));
afterAll(async () => {
  service?.signalGroup('SIGINT');
  await service?.ended;
  rmSync(folder, { recursive: true, force: true });
});

it('the package of "npm pack" starts with the line of the README, and its command line finds the service', async () => {
  const [npx = '', file = '', start = ''] = await packed();
  // `--yes` for npx's question, which has nobody here to answer it.
  service = startProcess({ dataDir: '', other: { command: [npx, '--yes', file, start], folder } });
  await service.printed(/Ctrl-C ends everything/);
  const [, address = ''] = await service.printed(/The sample application answers at {2}(\S+)/);
  expect(await (await fetch(address)).text()).toContain('Hello from a push');

  const { PATH } = process.env;
  const status = await promisify(execFile)(npx, ['--yes', file, 'status'], {
    cwd: folder,
    env: { PATH, HOME: folder },
  });
  expect(status.stdout).toMatch(/^#1 .* hello +ok /);

  // Everything is in the user's folders: npm may replace the package, and it may belong to another user.
  const [, installed = ''] = await service.printed(/password in (\S+)/);
  expect(installed).toContain('.local/share/deployment-webhooks');
  expect(existsSync(join(folder, '.local/share/deployment-webhooks/service.db'))).toBe(true);
  const { stdout } = await promisify(execFile)('find', [join(folder, '.npm/_npx'), '-name', '.local']);
  expect(stdout).toBe('');

  const family = service.family();
  service.signalGroup('SIGINT');
  await gone(family, folder);
});
