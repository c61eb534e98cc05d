import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openRunner } from '../../../../lib/runner/open.ts';
import { releaseIn, specIn, startAt } from '../../../support/platform/app-spec.ts';
import { afterwards, temporaryFolder, until } from '../../../support/platform/harness.ts';

/**
 * Answers with its process id. `/healthz` takes the first of the answers that stand in `DATA_DIR/next`, else 200; `hang`
 * is no answer. It writes how often it was asked.
 */
const server = `
const { readFileSync, writeFileSync } = require('node:fs');
const file = (name) => process.env.DATA_DIR + '/' + name;
const words = () => { try { return readFileSync(file('next'), 'utf8').split(' ').filter(Boolean) } catch { return [] } };
let asked = 0;
require('node:http').createServer(({ url }, response) => {
  if (url !== '/healthz') return response.end(String(process.pid));
  const [next = '200', ...rest] = words();
  if (next !== 'hang') writeFileSync(file('next'), rest.join(' '));
  writeFileSync(file('asked'), String(asked += 1));
  response.statusCode = Number(next) || 200;
  if (next !== 'hang') response.end();
}).listen(process.env.PORT, process.env.HOST);`;

async function opened() {
  const folder = await temporaryFolder();
  const running = await openRunner({ folder, limits: { crashPauseMs: 10, healthMs: 300 }, own: process.env });
  afterwards(running.close);
  const health = { path: '/healthz', seconds: 5 };
  const port = await startAt(running, specIn(folder), { ...(await releaseIn(folder, '1', server)), health });
  const file = (name: string) => join(folder, name);
  return {
    pid: async () => (await fetch(`http://127.0.0.1:${port}`)).text(),
    willAnswer: (words: string) => writeFile(file('next'), words),
    asked: async () => Number(await readFile(file('asked'), 'utf8')),
    log: () => readFile(file('app.log'), 'utf8'),
  };
}

it.each([
  ['hang', 'did not answer GET /healthz 3 times in a row'],
  ['500 500 500', 'answered 500 to GET /healthz 3 times in a row'],
  ['404 500 503', 'answered 503 to GET /healthz 3 times in a row'],
])('one whose path fails three times in a row while it runs is started again: %s', async (words, why) => {
  const { pid, willAnswer, log } = await opened();
  const before = await pid();
  await willAnswer(words);
  await until('it has ended', async () => (await log()).includes(why));
  await willAnswer('');
  await until('it runs again', async () => (await pid()) !== before);
});

it('one that fails twice and answers then runs on', async () => {
  const { pid, willAnswer, asked, log } = await opened();
  const before = await pid();
  await willAnswer('503 503 200 500 404 204 500 500');
  await until('all were asked', async () => (await asked()) > 10);
  expect(await pid()).toBe(before);
  expect(await log()).not.toContain('in a row');
});

/** Each process is well at its start, and never again. */
const soonIll = `
let asked = 0;
require('node:http').createServer((request, response) => {
  if ((asked += 1) === 1) response.end();
}).listen(process.env.PORT, process.env.HOST);`;

it('one that hangs after each start is in a crash loop, however long its answers are waited for', async () => {
  const folder = await temporaryFolder();
  const limits = { crashPauseMs: 10, healthMs: 100, keepMs: 10, crashLimit: 3, crashWindowMs: 400 };
  const running = await openRunner({ folder, limits, own: process.env });
  afterwards(running.close);
  const health = { path: '/healthz', seconds: 5 };
  await startAt(running, specIn(folder), { ...(await releaseIn(folder, '1', soonIll)), health });
  await until('it is in a loop', async () =>
    (await running.events(null)).some(({ event }) => event.type === 'app.crashed'),
  );
});

/** Its answer goes on for ever, line by line. */
const endless = `
require('node:net').createServer((socket) => {
  socket.on('error', () => undefined).write('HTTP/1.1 200 OK\\r\\n');
  setInterval(() => socket.write('x-more: yes\\r\\n'), 100);
}).listen(process.env.PORT, process.env.HOST);`;

it('one whose answer does not come to an end does not start', async () => {
  const folder = await temporaryFolder();
  const running = await openRunner({ folder, limits: { readinessMs: 3_000 }, own: process.env });
  afterwards(running.close);
  const started = startAt(running, specIn(folder), await releaseIn(folder, '1', endless));
  await expect(started).rejects.toThrow('did not answer GET /');
});
