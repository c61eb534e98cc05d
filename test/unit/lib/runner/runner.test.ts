import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { EventId } from '../../../../lib/runner/calls.ts';
import { openRunner } from '../../../../lib/runner/open.ts';
import type { RunnerLimits } from '../../../../lib/runner/settings.ts';
import { releaseIn, specIn, startAt, stateAt } from '../../../support/platform/app-spec.ts';
import { afterwards, temporaryFolder, until } from '../../../support/platform/harness.ts';

const UP = "require('node:http').createServer((_, s) => s.end('up')).listen(process.env.PORT, process.env.HOST);";

/** Returns a runner, the description of an application, and releases of that application with a server. */
async function opened(limits: Partial<RunnerLimits> = {}) {
  const folder = await temporaryFolder();
  const running = await openRunner({ folder, limits: { crashPauseMs: 10, ...limits }, own: process.env });
  afterwards(running.close);
  const release = (snapshot: string, server: string) => releaseIn(folder, snapshot, server);
  return { running, spec: specIn(folder), release };
}

const textAt = async (port: number) => (await fetch(`http://127.0.0.1:${port}`)).text();

it('an application that is resumed later is starting, also where its release is there', async () => {
  const { running, spec, release } = await opened();
  const ready = { ...spec, release: await release('1', UP) };
  await running.apply(ready, { is: 'resume', later: true });
  expect(await stateAt(running)).toBe('starting');
  await running.apply(ready, { is: 'resume' });
  expect(await stateAt(running)).toBe('running');
  await running.apply(ready, { is: 'resume', later: true });
  expect(await stateAt(running)).toBe('running');
});

it('an application whose release cannot be had has crashed with that reason', async () => {
  const { running, spec } = await opened();
  await running.apply(spec, { is: 'resume', missing: { snapshot: '1', why: 'Its tarball is gone.' } });
  expect(await stateAt(running)).toBe('crashed');
  const [crash] = await running.events(null);
  expect(crash?.event).toMatchObject({ type: 'app.crashed', snapshot: '1', detail: 'Its tarball is gone.' });
});

it('a description of an application is for its next start, and changes neither its release nor its port', async () => {
  const { running, spec, release } = await opened();
  const says = "require('node:http').createServer((_, s) => s.end(process.env.WORD)).listen(process.env.PORT);";
  const port = await startAt(running, { ...spec, variables: { WORD: 'one' } }, await release('1', says));
  const two = { ...spec, release: await release('0', UP), port: 1, variables: { WORD: 'two' } };
  await running.apply(two);
  expect(await textAt(port)).toBe('one');
  await running.apply(two, { is: 'restart' });
  expect(await textAt(port)).toBe('two');
});

it('a description that was made before the one that is known changes nothing', async () => {
  const { running, spec, release } = await opened();
  const says = "require('node:http').createServer((_, s) => s.end(process.env.WORD)).listen(process.env.PORT);";
  const made = (service: number, number: number, WORD: string) => ({
    ...spec,
    version: { service, number },
    variables: { WORD },
  });
  const port = await startAt(running, made(1, 1, 'one'), await release('1', says));
  await running.apply(made(1, 3, 'three'));
  await running.apply(made(1, 2, 'two'), { is: 'restart' });
  expect(await textAt(port)).toBe('three');
  // The numbers of the next service begin anew.
  await running.apply(made(2, 1, 'next'), { is: 'restart' });
  expect(await textAt(port)).toBe('next');
});

/** The first process ends when there is the file `end`; a second one says so in the file `again`, and listens from `listen` on. */
const RETURNED = `const { existsSync, writeFileSync } = require('node:fs');
const file = (name) => process.env.DATA_DIR + '/' + name;
const once = (name, work) => setInterval(() => existsSync(file(name)) && (clearInterval(timer), work()), 5);
const listen = () => { ${UP.replace('up', 'two')} };
const isSecond = existsSync(file('first'));
writeFileSync(file(isSecond ? 'again' : 'first'), '');
if (!isSecond) listen();
const timer = isSecond ? once('listen', listen) : once('end', () => process.exit(1));`;

it('a restart of a release that is taken back meanwhile restarts the one that serves again', async () => {
  const { running, spec, release } = await opened({ keepMs: 60_000 });
  const port = await startAt(running, spec, await release('1', UP));
  await startAt(running, spec, await release('2', RETURNED));
  const restarted = running.apply(spec, { is: 'restart' });
  await until('it starts', () => existsSync(join(spec.dataDir, 'again')));
  await writeFile(join(spec.dataDir, 'end'), '');
  const types = async () => (await running.events(null)).map(({ event }) => event.type);
  await until('it is taken back', async () => (await types()).includes('app.returned'));
  await writeFile(join(spec.dataDir, 'listen'), '');
  await restarted;
  expect(await textAt(port)).toBe('up');
  expect(await stateAt(running)).toBe('running');
});

it('a change of the scale that fails changes nothing, and may be repeated', async () => {
  const { running, spec, release } = await opened();
  const broken = await release('1', 'process.exit(1);');
  await running.apply({ ...spec, scale: { web: 0 }, release: broken }, { is: 'start', release: broken });
  for (const _ of ['first', 'second']) {
    const scaled = running.apply(spec, { is: 'scale', scale: { web: 1 } });
    await expect(scaled).rejects.toMatchObject({ status: 500 });
    expect((await running.processes(spec)).scale).toEqual({ web: 0 });
  }
});

it('an application that waits for a request after a start of the runner is told to be fine', async () => {
  const { running, spec, release } = await opened();
  await running.apply({ ...spec, scale: { web: 'auto' }, release: await release('1', UP) }, { is: 'resume' });
  expect(await stateAt(running)).toBe('asleep');
  const types = (await running.events(null)).map(({ event }) => event.type);
  expect(types).toContain('app.serving');
});

it('an application whose worker crashes in a loop is not told to be fine when a request wakes it', async () => {
  const limits = { crashLimit: 2, settleMs: 10, idleMs: 200 };
  const { running, spec, release } = await opened(limits);
  const web = await release('1', UP);
  const ends = "setInterval(() => require('node:fs').existsSync(process.env.DATA_DIR + '/end') && process.exit(1), 5)";
  const worker = { program: 'node', args: ['-e', ends], text: 'worker' };
  const both = { ...web, types: { ...web.types, others: { worker } } };
  const port = await startAt(running, { ...spec, scale: { web: 'auto' } }, both);
  await writeFile(join(spec.dataDir, 'end'), '');
  const types = async () => (await running.events(null)).map(({ event }) => event.type);
  await until('it is told to crash', async () => (await types()).includes('app.crashed'));
  const slept = async () => (await running.processes(spec)).processes[0]?.state === 'asleep';
  await until('it sleeps', slept);
  expect(await textAt(port)).toBe('up');
  await until('it sleeps again', slept);
  const told = (await types()).filter((type) => ['app.serving', 'app.crashed'].includes(type));
  expect(told).toEqual(['app.serving', 'app.crashed']);
});

it('keeps what happens until the next question, and answers as soon as something does', async () => {
  const { running, spec, release } = await opened();
  let last: EventId | null = null;
  const types = async (taken: number) => {
    const events = await running.events(last && { ...last, seq: taken });
    last = events.at(-1)?.id ?? last;
    return events.map(({ id, event }) => [id.seq, event.type]);
  };
  await startAt(running, spec, await release('1', UP));
  const first = ['app.port', 'app.serving'].map((type, at) => [at + 1, type]);
  expect((await types(0)).slice(0, 2)).toEqual(first);
  expect((await types(0)).slice(0, 2)).toEqual(first);
  expect(await types(2)).toEqual([
    [3, 'app.fine'],
    [4, 'app.retired'],
  ]);
  const next = types(4);
  await running.apply(spec, { is: 'restart' });
  expect((await next)[0]).toEqual([5, 'app.serving']);
});

it('what another runner has reported is not taken for what this one has', async () => {
  const { running, spec } = await opened();
  await running.apply(spec, { is: 'resume', missing: { snapshot: '1', why: 'Its tarball is gone.' } });
  expect(await running.events({ of: 'another', seq: 500 })).toHaveLength(1);
});

it('the ports of one user have a quarter of the connections', async () => {
  const folder = await temporaryFolder();
  const running = await openRunner({ folder, limits: { connections: 8 }, own: process.env });
  afterwards(running.close);
  const port = await startAt(running, specIn(folder), await releaseIn(folder, '1', UP));
  const idle = [connect(port, '127.0.0.1'), connect(port, '127.0.0.1')];
  afterwards(async () => idle.forEach((one) => void one.destroy()));
  await Promise.all(idle.map((one) => once(one, 'connect')));
  expect(await (await fetch(`http://127.0.0.1:${port}`)).json()).toMatchObject({ error: expect.any(String) });
  idle[0]?.destroy();
  await expect.poll(() => textAt(port)).toBe('up');
});
