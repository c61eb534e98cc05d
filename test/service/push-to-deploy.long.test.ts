import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { application, entryAddress, type GitFolder, gitFolder } from '../support/service/git-folder.ts';
import { repositories, type Started, startEngineForTest } from '../support/service/started.ts';

describe('push to deploy on one machine, in a hurry, among guessers, and after a crash', () => {
  let started: Started;
  const repository = repositories(() => started);
  /** It was live and crashes again and again. Its pauses are as long as the tests before that one. */
  let unstable: { readonly tree: GitFolder; readonly address: string };

  beforeAll(async () => {
    started = await startEngineForTest('pushed', { reconcileMinutes: 0 });
    unstable = await crashing();
  });
  afterAll(async () => {
    await started.close();
  });

  it('after several pushes in quick succession the last one is live, and none overtakes another', async () => {
    const tree = await repository('hurry');
    const addresses: string[] = [];
    for (const text of ['one', 'two', 'three', 'four']) {
      tree.commit(application('hurry', text));
      addresses.push(entryAddress(await tree.push()));
    }
    const finals = ['ok', 'error', 'superseded'];
    const entries = await Promise.all(addresses.map((address) => started.until(address, ...finals)));
    expect(entries.at(-1).status).toBe('ok');
    expect(entries.every(({ status }) => status === 'ok' || status === 'superseded')).toBe(true);
    expect(await (await fetch(entries.at(-1).doc.url)).text()).toBe('four');
  });

  it('a restart whose process ends soon is crashed, with the reason, and what ran before serves', async () => {
    const tree = await repository('returned');
    const files = application('returned', 'up');
    const server = `setTimeout(() => process.env.BAD && process.exit(3), 800);\n${files['server.js']}`;
    tree.commit({ ...files, 'server.js': server });
    const { doc } = await started.until(entryAddress(await tree.push()), 'ok', 'error');
    const { body } = await started.call('/1/apps/demo/returned/env', {
      method: 'PATCH',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ BAD: '1' }),
    });
    const entry = await started.until(body.restart.id, 'crashed', 'error');
    expect(entry).toMatchObject({ status: 'crashed', operation: 'restart' });
    expect(entry.reason).toMatch(
      /^The application ended soon after its start, and what ran before serves again, with the variables that it had: .*code 3\.$/,
    );
    expect(await (await fetch(doc.url)).text()).toBe('up');
  });

  it('an application that crashes after its deploy is shown as crashed, and as ok when it answers again', async () => {
    const { tree, address } = unstable;
    const crashed = await started.until(address, 'crashed', 'error');
    expect(crashed.reason).toMatch(
      /^The application crashed too often and is tried again every minute: Error: no memory \(server\.js:5\)\.$/,
    );
    expect(crashed.doc.log_tail.join('\n')).toContain('Error: no memory');
    expect((await started.call('/demo/unstable.svg', { login: null })).body).toContain('deployment: crashed');
    tree.commit(application('unstable', 'up'));
    await started.until(entryAddress(await tree.push()), 'ok', 'error');
    expect((await started.call(`${address}?include_docs=true`)).body.status).toBe('crashed');
    expect((await started.call('/demo/unstable.svg', { login: null })).body).toContain('deployment: ok');
  });

  // The last one: the password of this address is slowed down afterwards.
  it('wrong passwords from this machine hold up no push and nobody with an API token', async () => {
    const { login, repoHost, url } = started.service;
    const headers = { 'content-type': 'application/json' };
    const name = JSON.stringify({ name: 'among guessers' });
    const made = await started.call('/1/auth/tokens', { method: 'POST', headers, body: name });
    const places = [
      `${url}/1/status/demo/webhooks`,
      `${repoHost.cloneUrl('demo', 'unstable')}/info/refs?service=git-receive-pack`,
    ];
    const answered = new Set<number>();
    const stop = new AbortController();
    const guess = async (place: string) => {
      const authorization = `Basic ${btoa(`demo:guess ${Math.random()}`)}`;
      answered.add((await fetch(place, { headers: { authorization } })).status);
    };
    const guesser = async (place: string) => {
      while (!stop.signal.aborted) {
        await guess(place);
        await setTimeout(200);
      }
    };
    const guessers = Array.from({ length: 12 }, (_, number) => guesser(places[number % 2] ?? ''));
    try {
      await expect.poll(() => answered.has(429)).toBe(true);
      const tree = gitFolder(repoHost.cloneUrl('demo', 'calm').replace('//', `//demo:${login.password}@`));
      for (const text of ['first', 'second']) {
        tree.commit(application('calm', text));
        expect(await tree.pushAndWatch()).toMatch(/remote: deploy main .* (?:queued|running)[\s\S]*remote: live after/);
        const user = { headers: { authorization: `Basic ${btoa(`demo:${made.body.token}`)}` } };
        for (const place of places) expect((await fetch(place, user)).status).toBe(200);
      }
    } finally {
      stop.abort();
      await Promise.all(guessers);
    }
    expect([...answered].sort()).toEqual([401, 429]);
  });

  /** Deploys an application that crashes from its second request on. */
  async function crashing() {
    const tree = await repository('unstable');
    // Not by a time: it would be a failed start where the machine is slow.
    const crashes = `const { existsSync, writeFileSync } = require('node:fs');
    const mark = process.env.DATA_DIR + '/crash';
    require('node:http').createServer((request, response) => {
      if (request.url === '/crash') writeFileSync(mark, '');
      response.end('up', () => { if (existsSync(mark)) throw new Error('no memory'); });
    }).listen(process.env.PORT, process.env.HOST);\n`;
    tree.commit({ ...application('unstable', 'up'), 'server.js': crashes });
    const address = entryAddress(await tree.push());
    const { url } = await started.until(address, 'ok', 'error');
    await fetch(`${url}/crash`);
    return { tree, address };
  }
});
