import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, it } from 'vitest';
import type { EventId } from '../../../../lib/runner/calls.ts';
import { openRunner } from '../../../../lib/runner/open.ts';
import { releaseIn, specIn, startAt, stateAt } from '../../../support/platform/app-spec.ts';
import { afterwards, temporaryFolder } from '../../../support/platform/harness.ts';

const UP = "require('node:http').createServer((_, s) => s.end('up')).listen(process.env.PORT, process.env.HOST);";

/** Returns a runner, the description of an application, and releases of that application with a server. */
async function opened() {
  const folder = await temporaryFolder();
  const running = await openRunner({ folder, limits: { crashPauseMs: 10 }, own: process.env });
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
