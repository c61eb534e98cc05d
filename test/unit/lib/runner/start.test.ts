import { Agent, get } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { appFiles, build, deploy, serverFile, sharedPlatform, start } from '../../../support/platform/harness.ts';

const shared = sharedPlatform();

const text = async (url: string) => (await fetch(url)).text();

describe('starting an application', () => {
  it('a start is answered once the application answers, with its address', async () => {
    const at = await shared();

    const started = await deploy(at, 'hello', '1.0.0-1', appFiles('hello', serverFile('hello one')));

    expect(started).toMatchObject({ state: 'running', snapshot: '1.0.0-1' });
    expect(await text(started.url)).toBe('hello one');
  });

  it("the application is served under its host name on the platform's own port", async () => {
    const at = await shared();
    await deploy(at, 'hello', '1', appFiles('hello', serverFile('by host')));
    const { port } = new URL(at.url);

    const answer = await new Promise<string>((resolve, reject) => {
      get({ host: '127.0.0.1', port, headers: { host: `hello.ada.localhost:${port}` } }, (response) => {
        response.setEncoding('utf8').once('data', resolve);
      }).once('error', reject);
    });

    expect(answer).toBe('by host');
  });

  it('a start does nothing when the snapshot runs already', async () => {
    const at = await shared();
    const server = `const id = String(process.pid); ${serverFile('').replace('s.end("")', 's.end(id)')}`;
    const app = await deploy(at, 'hello', '1', appFiles('hello', server));
    const before = await text(app.url);

    const again = await start(at, 'hello', '1');

    expect(again).toMatchObject({ state: 'running', snapshot: '1', url: app.url });
    expect(await text(app.url)).toBe(before);
  });

  it('the address stays the same from release to release, and no request fails while traffic moves', async () => {
    const at = await shared();
    const slow = (word: string) =>
      `require('node:http').createServer((q, s) => setTimeout(() => s.end('${word}'), 20)).listen(process.env.PORT);`;
    const app = await deploy(at, 'hello', '1', appFiles('hello', slow('one')));
    await build(at, 'hello', '2', appFiles('hello', slow('two')));
    const agent = new Agent({ keepAlive: true, maxSockets: 50 });
    const seen: string[] = [];
    const requests: Promise<void>[] = [];
    let sending = true;
    const traffic = (async () => {
      while (sending) {
        requests.push(requestText(app.url, agent).then((word) => void seen.push(word)));
        await pause(5);
      }
    })();

    await expect.poll(() => seen).toContain('one');
    const second = await start(at, 'hello', '2');
    await expect.poll(() => seen).toContain('two');
    await expect.poll(() => seen.length).toBeGreaterThan(40);
    sending = false;
    await traffic;
    await Promise.all(requests);
    const last = await requestText(app.url, agent);
    agent.destroy();

    expect(second.url).toBe(app.url);
    expect(new Set(seen)).toEqual(new Set(['one', 'two']));
    expect(last).toBe('two');
  });
});

/** The answer's text; rejects for anything but 200. */
function requestText(url: string, agent: Agent): Promise<string> {
  return new Promise((resolve, reject) => {
    get(url, { agent }, (response) => {
      let body = '';
      response.setEncoding('utf8').on('data', (chunk) => {
        body += chunk;
      });
      response.once('end', () =>
        response.statusCode === 200 ? resolve(body) : reject(new Error(`${response.statusCode} ${body}`)),
      );
      response.once('error', reject);
    }).once('error', reject);
  });
}
