import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { client } from '../../../../lib/client/client.ts';
import { type FollowedPush, follow } from '../../../../lib/local/show/follow-push.ts';
import { type HttpServer, httpServer } from '../../../support/service/http-server.ts';

const at = (second: number) => new Date(Date.UTC(2026, 0, 2, 3, 4, second)).toISOString();
const stage = (name: string, second: number, detail: string | null = null) => {
  return { name, status: 'done', started_at: at(second), finished_at: at(second + 1), detail };
};
const entry = (status: string, doc: object = {}, row: object = {}) => ({
  id: `http://127.0.0.1/1/status/ada/changes/${'a'.repeat(20)}000000000007`,
  status,
  app_name: null,
  seq: 1,
  ...row,
  doc: { stages: [], url: null, reason: null, log_tail: [], received_at: at(0), finished_at: at(3), ...doc },
});

let server: HttpServer | undefined;
afterEach(async () => server?.close());

const readerOf = (url: string) => (user: string) => client({ url, user, secret: 's:cret' });

/** Follows a deploy whose entry is shown as these, one after the other; the last one for ever. */
async function followed(shown: readonly unknown[], options: Partial<FollowedPush> = {}) {
  const requests: { readonly path: string | undefined; readonly authorization: string | undefined }[] = [];
  server = await httpServer((request, response) => {
    requests.push({ path: request.url, authorization: request.headers.authorization });
    const next = shown[Math.min(requests.length, shown.length) - 1];
    if (typeof next === 'number') response.writeHead(next).end();
    else response.end(JSON.stringify(next));
  });
  const lines: string[] = [];
  await follow({
    entry: `https://deploy.example.com/hooks/1/status/ada/changes/${'a'.repeat(32)}`,
    client: readerOf(server.url),
    print: (line) => lines.push(line),
    ...options,
  });
  return { lines, requests };
}

describe('A push that follows its deploy', () => {
  it('shows each stage once, and ends with the address of the application', async () => {
    const check = stage('check', 0, 'hello 1.0.0');
    const { lines } = await followed([
      entry('queued'),
      entry('running', { stages: [check] }),
      entry('running', { stages: [check, { ...stage('fetch', 1), status: 'running', finished_at: null }] }),
      entry('ok', { stages: [check, stage('fetch', 1, '772 bytes')], url: 'http://127.0.0.1:4711' }),
    ]);
    expect(lines).toEqual([
      '  ✓ check      1.0 s  hello 1.0.0',
      '  ✓ fetch      1.0 s  772 bytes',
      'live after 3.0 s: http://127.0.0.1:4711',
    ]);
  });

  it('ends with the reason of a failure, and the last lines of the application', async () => {
    const failed = { ...stage('start', 0), status: 'failed' };
    const error = { code: 'deploy:platform:start_app', detail: 'SyntaxError: Unexpected token (server.js:2)' };
    const { lines } = await followed([entry('error', { stages: [failed], log_tail: ['at server.js:2'] }, { error })]);
    expect(lines).toEqual([
      '  ✗ start      1.0 s',
      'deploy:platform:start_app  SyntaxError: Unexpected token (server.js:2)',
      '    at server.js:2',
    ]);
  });

  it('ends with the address of the version before when that still answers', async () => {
    const error = { code: 'deploy:platform:start_app', detail: 'It ended.' };
    const failed = entry('error', {}, { error, app_name: '@ada/shop' });
    const shop = { name: '@ada/shop', state: 'running', url: 'http://shop' };
    const processes = (type: string, state: string) => ({ scale: {}, processes: [{ name: `${type}.1`, type, state }] });
    const { lines, requests } = await followed([failed, shop, processes('web', 'asleep')]);
    expect(lines.at(-1)).toBe('The version before still answers: http://shop');
    const path = '/1/apps/ada/%40ada%2Fshop';
    expect(requests.slice(-2).map((request) => request.path)).toEqual([path, `${path}/processes`]);
    for (const web of [processes('web', 'restarting'), processes('worker', 'running')]) {
      await server?.close();
      expect((await followed([failed, shop, web])).lines.at(-1)).toContain('It ended.');
    }
    await server?.close();
    expect((await followed([failed, { name: '@ada/shop', state: 'never', url: null }])).lines.at(-1)).toContain(
      'It ended.',
    );
    await server?.close();
    expect((await followed([failed, 404])).lines.at(-1)).toContain('It ended.');
  });

  it('shows the output of a build that takes longer than 3 s, before the line of its stage', async () => {
    const running = { ...stage('extract', 0), status: 'running', finished_at: null };
    let logs = 0;
    server = await httpServer((request, response) => {
      const path = request.url ?? '';
      if (path.includes('/build-log?follow')) {
        logs += 1;
        response.writeHead(200, { 'content-type': 'application/x-ndjson' });
        response.end(
          ['added 12 packages', 'built']
            .map((line) => `${JSON.stringify({ at: at(0), stream: 'stdout', line })}\n`)
            .join('\n'),
        );
      } else response.end(JSON.stringify(logs === 0 ? entry('running', { stages: [running] }) : ended));
    });
    const ended = entry('ok', { stages: [stage('extract', 0)], url: 'http://x' });
    const lines: string[] = [];
    await follow({
      entry: `http://x/1/status/ada/changes/${'a'.repeat(32)}`,
      client: readerOf(server.url),
      print: (line) => lines.push(line),
    });
    expect([logs, lines]).toEqual([
      1,
      ['    added 12 packages', '    built', '  ✓ build      1.0 s', 'live after 3.0 s: http://x'],
    ]);
  });

  it('names the command that deploys it when it is held', async () => {
    const { lines } = await followed([entry('queued'), entry('held', { reason: 'That is why.' })]);
    expect(lines).toEqual(['held  That is why.', '"hooks release 7" deploys it now.']);
  });

  it.each(['superseded', 'cancelled', 'expired'])('ends when the deploy is %s, with the reason', async (status) => {
    const { lines } = await followed([entry('queued'), entry(status, { reason: 'That is why.' })]);
    expect(lines).toEqual([`${status}  That is why.`]);
  });

  it('says once what the deploy waits for', async () => {
    const reason = 'Waits for #1, whose application is being started.';
    const { lines } = await followed([entry('running', { reason }), entry('running', { reason }), entry('ok')]);
    expect(lines.slice(0, -1)).toEqual([`  … ${reason}`]);
  });

  it('goes on at a status that this version does not know', async () => {
    const { lines } = await followed([entry('paused', { reason: 'Later.' }), entry('superseded', { reason: 'Why.' })]);
    expect(lines).toEqual(['  … Later.', 'superseded  Why.']);
  });

  it('reads the entry with its client, whatever the public address of the entry is', async () => {
    const { requests } = await followed([entry('ok', { url: 'http://x' })]);
    expect(requests).toEqual([
      {
        path: `/1/status/ada/changes/${'a'.repeat(32)}?include_docs=true`,
        authorization: `Basic ${Buffer.from('ada:s:cret').toString('base64')}`,
      },
    ]);
  });

  it('ends after the limit and says where to see the rest', async () => {
    const { lines } = await followed([entry('running')], { limitMs: 400 });
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatch(
      /^Not finished after 0\.4 s; the deploy goes on: https:\/\/deploy\.example\.com\/hooks\/#\/ada\/deploys\/a{32}$/,
    );
  });

  it('goes on when the service fails for a moment', async () => {
    const { lines } = await followed([entry('running'), 500, 503, entry('ok', { url: 'http://x' })]);
    expect(lines).toEqual(['live after 3.0 s: http://x']);
  });

  it('ends when the service has stopped', async () => {
    const chance = vi.spyOn(Math, 'random').mockReturnValue(0);
    onTestFinished(() => chance.mockRestore());
    const { lines } = await followed([500]);
    expect(lines).toEqual([
      expect.stringMatching(/^The service does not answer any more\. The deploy goes on at its next/),
    ]);
  });

  it('ends at once when its login is refused, and says where to see the rest', async () => {
    const { lines, requests } = await followed([entry('queued'), 401]);
    expect(lines).toEqual([
      expect.stringMatching(
        /^The deploy cannot be followed: it answered 401\. It goes on: https:.*#\/ada\/deploys\/a{32}$/,
      ),
    ]);
    expect(requests).toHaveLength(2);
  });
});
