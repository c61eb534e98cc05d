import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  appFiles,
  deploy,
  eventsOf,
  hello,
  isAlive,
  logsOf,
  type PlatformUnderTest,
  platform,
  until,
} from '../../../support/platform/harness.ts';

/** Answers with its version and process id; with `ends` it ends when it has been asked for `/end`. */
const server = (version: string, ends: boolean) => `
const answers = require('node:http').createServer((request, response) => {
  response.end('${version} ' + process.pid);
  if (request.url === '/end' && ${ends}) setTimeout(() => { throw new Error('no config'); }, 10);
});
answers.listen(process.env.PORT, process.env.HOST);`;
const worker = (version: string) =>
  `require('node:fs').writeFileSync(process.env.DATA_DIR + '/${version}-' + process.pid, ''); setInterval(() => {}, 1000);`;
const files = (version: string, ends: boolean) => ({
  ...appFiles('hello', server(version, ends)),
  'worker.js': worker(version),
  Procfile: 'web: node server.js\nworker: node worker.js\n',
});

const ask = async (url: string) => (await fetch(url)).text();
const shown = (at: PlatformUnderTest) => at.applications.find(hello);
const logs = (at: PlatformUnderTest) => logsOf(at, { lines: 1000 });
/** The versions of the workers that run. */
async function workers({ dataDir }: PlatformUnderTest): Promise<readonly string[]> {
  const names = (await readdir(join(dataDir, 'apps/ada/hello/data'))).map((name) => name.split('-'));
  const alive = await Promise.all(names.map(([, pid]) => isAlive(Number(pid))));
  return names.filter((_, at) => alive[at]).map(([version = '']) => version);
}

describe('the release before a new one', () => {
  it('serves again when the new one ends soon, with the processes beside it, and the event says why', async () => {
    const at = await platform({ limits: { keepMs: 600_000 } });
    const { url } = await deploy(at, 'hello', '1', files('one', false));
    const old = await ask(url);
    expect(await deploy(at, 'hello', '2', files('two', true))).toMatchObject({ state: 'running', snapshot: '2' });
    expect(await ask(url)).toMatch(/^two /);

    await ask(`${url}/end`);

    await until('the first serves', async () => (await ask(url)) === old);
    await until('it is the active one', async () => (await shown(at))?.snapshot === '1');
    await until('its worker runs alone', async () => (await workers(at)).join() === 'one');
    expect(await shown(at)).toMatchObject({ state: 'running' });
    const reason = 'The application ended soon after its start, and the release before it serves again: ';
    await expect
      .poll(() => eventsOf(at))
      .toMatchObject([{ snapshot: '2', state: 'crashed', serves: '1', reason: expect.stringContaining(reason) }]);
    expect((await eventsOf(at))[0]?.reason).toContain('Error: no config (server.js:');
    expect(await logs(at)).toContain('2 exited with code 1; 1 serves again');
    await at.operations.restart(hello);
    expect(await ask(url)).toMatch(/^one /);
  });
});
