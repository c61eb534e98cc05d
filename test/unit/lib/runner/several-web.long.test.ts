import { readdir } from 'node:fs/promises';
import { request } from 'node:http';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  appFiles,
  build,
  deploy,
  hello,
  type PlatformUnderTest,
  platform,
  refusalOf,
  sharedPlatform,
  start,
  until,
} from '../../../support/platform/harness.ts';

const shared = sharedPlatform();

/** Answers with its version and its process id; `/slow` when `/go` has been asked, of any process. */
const server = (version: string) => `
const { existsSync, writeFileSync } = require('node:fs');
const go = process.env.DATA_DIR + '/go';
const answers = {
  '/slow': (response) => {
    writeFileSync(process.env.DATA_DIR + '/slow-' + process.pid, '');
    const timer = setInterval(() => existsSync(go) && (clearInterval(timer), response.end('slow')), 10);
  },
  '/go': (response) => response.end(String(writeFileSync(go, ''))),
};
require('node:http').createServer(({ url }, response) => {
  if (answers[url]) answers[url](response);
  else response.end('${version} ' + process.pid);
}).listen(process.env.PORT, process.env.HOST);`;

const files = (version: string) => appFiles('hello', server(version));
const scale = (at: PlatformUnderTest, web: number | 'auto') => at.processes.scale(hello, { web });
const webs = async (at: PlatformUnderTest) =>
  ((await at.processes.list(hello))?.processes ?? []).filter(({ type }) => type === 'web');
const areAll = async (at: PlatformUnderTest, state: string, count: number) => {
  const all = await webs(at);
  return all.length === count && all.every((one) => one.state === state);
};

/** Returns the different answers to some requests, one after the other. */
async function answers(url: string, count = 12): Promise<readonly string[]> {
  const all = new Set<string>();
  for (let at = 0; at < count; at++) all.add(await (await fetch(url)).text());
  return [...all].sort();
}

/** Begins a request; `answer` resolves with its body, or with its error. */
function begun(url: string): { readonly answer: Promise<string> } {
  const answer = new Promise<string>((resolve) => {
    const asking = request(url, { agent: false }, (response) => {
      response.setEncoding('utf8').once('data', resolve).once('error', String);
    });
    asking.once('error', (error) => resolve(String(error))).end();
  });
  return { answer };
}

const isSlow = (name: string) => name.startsWith('slow-');

async function running(count: number, on: Promise<PlatformUnderTest> = shared()) {
  const at = await on;
  const app = await deploy(at, 'hello', '1', files('1'));
  const [first] = await answers(app.url, 1);
  await scale(at, count);
  await until('all run', async () => areAll(at, 'running', count));
  await until('all answer', async () => (await answers(app.url)).length === count);
  return { at, url: app.url, first };
}

describe('several web processes', () => {
  it('share the requests, and are listed one by one', async () => {
    const { at, url } = await running(3);
    const [first, ...others] = await webs(at);
    expect([first, ...others].map((one) => one?.name)).toEqual(['web.1', 'web.2', 'web.3']);
    expect(others.every(({ memory }) => (memory ?? 0) > 1024 * 1024)).toBe(true);
    expect(await answers(url)).toHaveLength(3);
  });

  it('the next request goes to that with the fewest open requests', async () => {
    const { url } = await running(2);
    const slow = begun(`${url}/slow`);
    await until('one is busy', async () => (await answers(url)).length === 1);
    await (await fetch(`${url}/go`)).text();
    expect(await slow.answer).toBe('slow');
    expect(await answers(url)).toHaveLength(2);
  });

  it('a visitor stays with one of them by a cookie where the setting asks for it, until that has ended', async () => {
    const at = await shared();
    const ownCookie = server('1').replace(
      '(answers[url])',
      "(response.setHeader('set-cookie', 'own=1'), answers[url])",
    );
    await build(at, 'hello', '1', appFiles('hello', ownCookie), { settings: { affinity: true } });
    const app = await start(at, 'hello', '1');
    await scale(at, 3);
    await until('all answer', async () => (await answers(app.url)).length === 3);
    const visit = async (cookie = '') => {
      const answer = await fetch(app.url, { headers: { cookie } });
      return { text: await answer.text(), cookies: answer.headers.getSetCookie() };
    };
    const visitors = await Promise.all(Array.from({ length: 9 }, () => visit()));
    expect(new Set(visitors.map(({ text }) => text)).size).toBe(3);
    for (const { text, cookies } of visitors) {
      expect(cookies).toEqual([
        'own=1',
        expect.stringMatching(/^hooks-affinity=[\w-]{12}; Path=\/; HttpOnly; SameSite=Lax$/),
      ]);
      const cookie = `a=b; ${cookies[1]?.split(';')[0]}; c=d`;
      for (let times = 0; times < 4; times++) expect(await visit(cookie)).toEqual({ text, cookies: ['own=1'] });
    }
    expect((await visit('hooks-affinity=another')).cookies).toHaveLength(2);
    const [one] = visitors;
    const cookie = one?.cookies[1]?.split(';')[0];
    process.kill(Number(one?.text.slice(2)), 'SIGKILL');
    await until('it is down', async () => !(await areAll(at, 'running', 3)));
    const moved = await visit(cookie);
    expect(moved.text).not.toBe(one?.text);
    expect(await visit(moved.cookies[1]?.split(';')[0])).toEqual({ text: moved.text, cookies: ['own=1'] });
  });

  it('without it none gets a cookie', async () => {
    const { url } = await running(2);
    expect((await fetch(url)).headers.getSetCookie()).toEqual([]);
  });

  it.each([0, 1])('one that crashes is started again while the other serves: %s', async (index) => {
    const { at, url, first } = await running(2);
    const both = await answers(url);
    const [killed = ''] = both.filter((text) => (text === first) === (index === 0));
    process.kill(Number(killed.slice(2)), 'SIGKILL');
    await until('it is down', async () => !(await areAll(at, 'running', 2)));
    expect(await answers(url)).toEqual(both.filter((text) => text !== killed));
    await until('both run', async () => areAll(at, 'running', 2));
    await until('both answer', async () => (await answers(url)).length === 2);
    expect((await webs(at))[index]).toMatchObject({ name: `web.${index + 1}`, restarts: 1 });
  });

  it('a deploy replaces all, and none of the release before answers after it', async () => {
    const { at, url } = await running(3);
    const slow = begun(`${url}/slow`);
    await until('it is begun', async () => (await answers(url, 30)).length >= 2);
    const deployed = new Date().toISOString();
    await deploy(at, 'hello', '2', files('2'));
    for (const { name, since } of await webs(at))
      expect({ name, isNew: String(since) >= deployed }).toEqual({ name, isNew: true });
    const after = await answers(url, 30);
    expect(after).toHaveLength(3);
    expect(after.every((text) => text.startsWith('2 '))).toBe(true);
    await (await fetch(`${url}/go`)).text();
    expect(await slow.answer).toBe('slow');
  });

  it('a release of which one does not start leaves those before, and nothing of its own', async () => {
    const { at, url } = await running(2);
    const fails = `
const { appendFileSync, readFileSync } = require('node:fs');
const file = process.env.DATA_DIR + '/starts';
appendFileSync(file, 'x');
if (readFileSync(file, 'utf8').length === 2) throw new Error('the second does not start');
${server('2')}`;
    const refusal = await refusalOf(deploy(at, 'hello', '2', appFiles('hello', fails)));
    expect(refusal.error).toContain('the second does not start');
    expect((await answers(url)).map((text) => text.slice(0, 2))).toEqual(['1 ', '1 ']);
  });

  it('fewer end the last, whose open requests are answered; auto leaves one; all end with the application', async () => {
    const { at, url } = await running(3);
    const slow = [1, 2, 3].map(() => begun(`${url}/slow`));
    const begunBy = async () => (await readdir(join(at.dataDir, 'apps/ada/hello/data'))).filter(isSlow);
    await until('each has one', async () => (await begunBy()).length === 3);
    const scaled = scale(at, 1);
    await until('one is left', async () => (await answers(url)).length === 1);
    await (await fetch(`${url}/go`)).text();
    expect(await Promise.all(slow.map(({ answer }) => answer))).toEqual(['slow', 'slow', 'slow']);
    await scaled;
    expect(await webs(at)).toHaveLength(1);
    await scale(at, 2);
    await until('two again', async () => (await answers(url)).length === 2);
    await scale(at, 'auto');
    expect(await webs(at)).toHaveLength(1);
    await at.operations.stop(hello);
    expect((await fetch(url)).status).toBe(503);
  });

  it('as many run after a restart, and after a start of the platform', async () => {
    const { at, url } = await running(2, platform());
    await at.operations.restart(hello);
    expect(await answers(url)).toHaveLength(2);
    await at.close();
    const again = await platform({ dataDir: at.dataDir });
    await until('both run', async () => areAll(again, 'running', 2));
    const { url: now = null } = (await again.applications.find(hello)) ?? {};
    expect(await answers(String(now))).toHaveLength(2);
  });
});
