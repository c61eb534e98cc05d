import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, it } from 'vitest';
import type { AppSpec, ReleaseSpec } from '../../../../lib/runner/calls.ts';
import { runnerClient } from '../../../../lib/runner/program/client.ts';
import { afterwards, temporaryFolder } from '../../../support/platform/harness.ts';

const shop = { user: 'ada', app: 'shop' } as AppSpec;
const start = { is: 'start', release: { snapshot: '1.0.0-1' } as ReleaseSpec } as const;

type Answer = (response: ServerResponse, request: IncomingMessage) => unknown;

const says =
  (value: unknown): Answer =>
  (response) =>
    response.end(JSON.stringify(value));
const hangs: Answer = () => undefined;

/** A runner that gives each call the next of its answers, and then the last one again. */
async function fakeRunner(answers: Readonly<Record<string, readonly Answer[]>>, limitMs = 10_000) {
  const socketPath = join(await temporaryFolder(), 'runner.sock');
  const calls: string[] = [];
  const warnings: string[] = [];
  const server = createServer((request, response) => {
    const name = request.url?.slice(1) ?? '';
    const count = calls.filter((one) => one === name).length;
    calls.push(name);
    const given = answers[name] ?? [says(null)];
    request.resume().once('end', () => (given[count] ?? given.at(-1))?.(response, request));
  });
  const listen = () => new Promise<void>((resolve) => server.listen(socketPath, resolve));
  afterwards(async () => server.close().closeAllConnections());
  const client = runnerClient(socketPath, { limitMs, warn: (sentence) => warnings.push(sentence) });
  return { client, calls, warnings, listen, server };
}

const cuts: Readonly<Record<string, Answer>> = {
  'hangs up': (_, { socket }) => socket.destroy(),
  'sends half an answer': (response, { socket }) => response.write('40', () => socket.destroy()),
  'sends half a document': (response) => response.end('{"por'),
  'says nothing': (response) => response.end(),
};

it.each(Object.entries(cuts))('a runner that %s when it is killed is asked again', async (_, cut) => {
  const { client, calls, listen } = await fakeRunner({ apply: [cut, cut, says(4000)] });
  await listen();
  expect(await client.apply(shop, start)).toBe(4000);
  expect(calls).toEqual(['apply', 'apply', 'apply']);
});

it('a runner that is not there is waited for', async () => {
  const { client, listen } = await fakeRunner({ states: [says([])] });
  const states = client.states();
  await pause(60);
  await listen();
  expect(await states).toEqual([]);
});

it('a command is not run twice: who has asked for it reads a sentence', async () => {
  const cut = cuts['hangs up'] as Answer;
  const { client, calls, listen } = await fakeRunner({ run: [cut], input: [cut] });
  await listen();
  const reason = { status: 503, message: 'What runs the applications was started again.' };
  await expect(client.run(shop, { command: 'node migrate.js', terminal: null } as never)).rejects.toMatchObject(reason);
  await expect(client.input(shop, 'one', {} as never)).rejects.toMatchObject(reason);
  expect(calls).toEqual(['run', 'input']);
});

it('a call that ends each runner is given up after three', async () => {
  const { client, calls, listen } = await fakeRunner({ apply: [cuts['hangs up'] as Answer] });
  await listen();
  const reason = { status: 503, message: 'What runs the applications was started again.' };
  await expect(client.apply(shop, start)).rejects.toMatchObject(reason);
  expect(calls).toHaveLength(3);
});

const HANGS = { status: 503, message: 'What runs the applications does not answer.' };

it('a runner that hangs ends each call after its time, and the log says it once, and when it answers again', async () => {
  const { client, warnings, listen } = await fakeRunner({ states: [hangs, says([])], processes: [hangs] }, 400);
  await listen();
  await expect(client.states()).rejects.toMatchObject(HANGS);
  await expect(client.processes(shop)).rejects.toMatchObject(HANGS);
  expect(await client.states()).toEqual([]);
  expect(warnings).toEqual([
    'The runner of the applications does not answer: no answer to "states" in 0.4 s.',
    'The runner of the applications answers again.',
  ]);
});

it('a start may last while the runner answers other calls, and ends when it does not', async () => {
  const { client, calls, listen } = await fakeRunner({ apply: [hangs], hello: [says({}), says({}), hangs] }, 400);
  await listen();
  await expect(client.apply(shop, start)).rejects.toMatchObject(HANGS);
  expect(calls).toEqual(['apply', 'hello', 'hello', 'hello']);
});

it('the output of an application ends when the runner hangs, before its first line and after', async () => {
  const line: Answer = (response) => response.write(`${JSON.stringify([{ text: 'up' }])}\n`);
  const read: unknown[] = [];
  const answersUntilRead: Answer = (...call) => (read.length === 0 ? says({}) : hangs)(...call);
  const { client, listen } = await fakeRunner({ logs: [hangs, line], hello: [answersUntilRead] }, 400);
  await listen();
  const query = { lines: 10, follow: true };
  const { signal } = new AbortController();
  await expect(client.logs(shop, query, signal)).rejects.toMatchObject(HANGS);
  const reading = (async () => {
    for await (const lines of await client.logs(shop, query, signal)) read.push(...lines);
  })();
  await expect(reading).rejects.toThrow();
  expect(read).toEqual([{ text: 'up' }]);
});
