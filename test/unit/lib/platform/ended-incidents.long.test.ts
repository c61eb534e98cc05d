import { expect, it } from 'vitest';
import type { Tables } from '../../../../functions/adapters/stores/sqlite/tables.ts';
import { appEvents } from '../../../../lib/platform/store/events.ts';
import {
  appFiles,
  deploy,
  eventsOf,
  hello,
  type PlatformUnderTest,
  platform,
  serverFile,
} from '../../../support/platform/harness.ts';

const files = { ...appFiles('hello', serverFile('up')), Procfile: 'web: node server.js\nworker: sleep 60' };
const job = { command: 'node -e "process.exit(4)"', schedule: '* * * * * *' };
const withJob = { ...files, 'app.json': JSON.stringify({ cron: [job] }) };

const told = async (at: PlatformUnderTest) =>
  (await eventsOf(at)).flatMap((event) => ('about' in event ? [[event.state, event.reason]] : []));
const FAILS = ['crashed', `The job ${JSON.stringify(job.command)} (* * * * * *) exited with code 4.`];
const IS_GONE = ['running', `The job ${JSON.stringify(job.command)} (* * * * * *) is not there any more.`];

it.each(['stopped', 'running'])(
  'the incident of a job ends with the release that does not have it, also where a later runner starts that: %s',
  async (state) => {
    const at = await platform();
    await deploy(at, 'hello', '1', withJob);
    await expect.poll(() => told(at)).toEqual([FAILS]);
    if (state === 'stopped') await at.operations.stop(hello);
    const { dataDir } = at;
    await at.close();

    const again = await platform({ dataDir });
    if (state === 'running') await expect.poll(async () => (await again.applications.find(hello))?.state).toBe(state);
    expect(await told(again)).toEqual([FAILS]);
    await deploy(again, 'hello', '2', files);
    await expect.poll(() => told(again)).toEqual([IS_GONE]);
  },
);

it('the incident of a job ends with its application, and another one with that name begins anew', async () => {
  const at = await platform();
  let news = 0;
  at.onEvent(() => {
    news += 1;
  });
  for (const _ of ['first', 'second']) {
    await deploy(at, 'hello', '1', withJob);
    await expect.poll(async () => (await told(at)).at(-1)).toEqual(FAILS);
    const failing = (await eventsOf(at)).find(({ app, state }) => app === 'hello' && state === 'crashed');
    const before = news;
    await at.operations.remove(hello);
    expect(news).toBe(before + 1);
    const gone = (await eventsOf(at)).at(-1);
    expect(gone).toMatchObject({ state: 'running', reason: IS_GONE[1] });
    expect(gone).toHaveProperty('first', failing && 'first' in failing && failing.first);
    expect(await at.failing()).toEqual([]);
  }
});

it('the incident of a job stays while the application has it, after a restart and in its next release', async () => {
  const at = await platform();
  await deploy(at, 'hello', '1', withJob);
  await expect.poll(() => told(at)).toEqual([FAILS]);
  await at.operations.restart(hello);
  await deploy(at, 'hello', '2', { ...withJob, 'more.txt': 'more' });
  await at.processes.scale(hello, { worker: 2 });
  expect(await told(at)).toEqual([FAILS]);
});

it('the incident of a process ends when it is scaled away, or its type is in no release any more', async () => {
  let tables: Tables | undefined;
  const at = await platform({
    tables: (own) => {
      tables = own;
      return own;
    },
  });
  let seq = 0;
  let news = 0;
  at.onEvent(() => {
    news += 1;
  });
  const fails = (name: string) => {
    const about = `The process ${name}`;
    const incident = { ...hello, about, state: 'crashed', reason: `${about} was ended.`, log: [] } as const;
    seq += 1;
    return tables && appEvents(tables).add({ ...incident, id: { of: 'runner', seq } });
  };
  const failing = async () =>
    (await eventsOf(at)).flatMap((event) => ('about' in event && event.state === 'crashed' ? [event.about] : []));
  await deploy(at, 'hello', '1', files);
  await at.processes.scale(hello, { worker: 2 });
  for (const name of ['web', 'worker.1', 'worker.2']) await fails(name);

  await at.processes.scale(hello, { worker: 1 });
  await expect.poll(failing).toEqual(['The process web', 'The process worker.1']);
  expect(news).toBe(1);
  await deploy(at, 'hello', '2', appFiles('hello', serverFile('up')));
  // Of `web` the start has told that it is fine.
  await expect.poll(failing).toEqual([]);
});
