import { createServer } from 'node:http';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { herokuApi } from '../../../../../../functions/adapters/platform/heroku/api.ts';
import { herokuPlatform } from '../../../../../../functions/adapters/platform/heroku/hosting.ts';
import type { HerokuParts } from '../../../../../../functions/adapters/platform/heroku/parts.ts';
import { herokuAppVariables } from '../../../../../../functions/adapters/platform/heroku/run/app-variables.ts';
import { herokuAppOperations } from '../../../../../../functions/adapters/platform/heroku/run/operations.ts';
import { keys } from '../../../../../../functions/adapters/platform/in-table/keys.ts';
import { type FakeHeroku, fakeHeroku } from '../../../../../fakes/heroku/server.ts';
import { deployOn, partsOn } from '../../../../../support/platform/heroku.ts';

const app = { user: 'kiwi', app: 'shop' };
const first = { ...app, snapshot: '1' };
const HTML = '<!doctype html><title>Maintenance</title>';
/** What no call of the API answers with. */
const ODD = ['', HTML, 'null', '[]', '{}', '"text"', '{"id":7}', '[null]'];

let heroku: FakeHeroku;
let parts: HerokuParts;
/** Calls whose answer is another one: `POST /apps/1/releases`, and the text of the answer. */
let odd:
  | { readonly call: RegExp; readonly answer: (ask: () => Promise<Response>) => Response | Promise<Response> }
  | undefined;

beforeEach(async () => {
  heroku = await fakeHeroku();
  const answering: typeof fetch = async (input, init) => {
    const call = `${init?.method ?? 'GET'} ${new URL(`${input}`).pathname}`;
    return odd?.call.test(call) ? odd.answer(() => fetch(input, init)) : fetch(input, init);
  };
  const api = herokuApi({ url: heroku.url, serviceToken: heroku.token, fetch: answering, timeoutMs: 2_000 });
  parts = { ...partsOn(heroku), api };
});
afterEach(async () => {
  odd = undefined;
  await heroku.close();
});

const answers = (call: RegExp, text: string) => {
  odd = { call, answer: () => new Response(text) };
};
const item = async () => (await parts.table.read(keys.app(app))) ?? expect.unreachable();

describe('An answer of Heroku that is not what it documents', () => {
  it.each(ODD.filter((text) => text !== '{}' && text !== '{"id":7}'))(
    'to a look at variables (%j) is an error, and not an application without any',
    async (text) => {
      await deployOn(parts, first, 'runs');
      const variables = herokuAppVariables(parts);
      await variables.set(app, 'KEY', 'value');
      answers(/^GET .*config-vars/, text);
      for (const call of [variables.read(app), variables.set(app, 'OTHER', 'x'), variables.unset(app, 'KEY')]) {
        await expect(call).rejects.toMatchObject({ code: 'request:failed', retry: true });
      }
    },
  );

  it('to a look at variables does not show their values in the reason of a failed start', async () => {
    await deployOn(parts, first, 'runs');
    answers(/^GET .*config-vars/, HTML);
    const failure = await deployOn(parts, { ...app, snapshot: '2' }, 'does not start').catch((error) => error);
    expect(failure).toMatchObject({ detail: 'The application did not start.', logTail: [] });
  });

  it.each(ODD.filter((text) => !text.startsWith('[')))(
    'to a stop (%j) leaves the application as it was',
    async (text) => {
      await deployOn(parts, first, 'runs');
      answers(/^GET .*formation/, text);
      await expect(herokuAppOperations(parts).stop(app)).rejects.toMatchObject({ retry: true });
      expect((await item()).state).toBe('running');
    },
  );

  it.each([
    [/^GET .*dynos/, HTML],
    [/^GET .*releases/, '{}'],
    [/^GET .*slugs/, HTML],
    [/^POST .*releases/, '{"created_at":"2026-01-01T00:00:00Z"}'],
    [/^POST .*releases/, '{"version":"7"}'],
  ])('to a call of a start (%s: %j) has the start tried again', async (call, text) => {
    await deployOn(parts, first, 'runs');
    await herokuPlatform(parts).ensureApp(app, { name: 'shop' });
    answers(call, text);
    const failure = await deployOn(parts, { ...app, snapshot: '2' }, 'runs').catch((error) => error);
    expect(failure).toMatchObject({ code: 'deploy:platform:start_app', retry: true });
    odd = undefined;
    await herokuPlatform(parts).start({ ...app, snapshot: '2' });
    expect((await item()).snapshot).toBe('2');
  });

  it.each(ODD)('to a build (%j) has the build begun again', async (text) => {
    answers(/^POST .*builds/, text);
    await expect(deployOn(parts, first, 'runs')).rejects.toMatchObject({
      code: 'deploy:tar:extract_failed',
      retry: true,
    });
    odd = undefined;
    expect(await deployOn(parts, first, 'runs')).toEqual({ url: expect.stringMatching(/^http/) });
  });

  it.each(['javascript:alert(1)', '', 'example.com'])('has no address %j, which would be a link', async (address) => {
    const other = async (ask: () => Promise<Response>) =>
      Response.json(Object.assign(Object(await (await ask()).json()), { name: 'kiwi-shop', web_url: address }));
    odd = { call: /^POST \/apps$/, answer: other };
    await herokuPlatform(parts).ensureApp(app, { name: 'shop' });
    expect((await item()).address).toBe('https://kiwi-shop.herokuapp.com');
  });

  it('is an error when it does not end', async () => {
    const api = herokuApi({
      ...{ url: heroku.url, serviceToken: heroku.token, timeoutMs: 50 },
      fetch: async (_, init) => new Response(new ReadableStream({ start: (one) => endWith(one, init?.signal) })),
    });
    await expect(herokuPlatform({ ...parts, api }).ensureApp(app, { name: 'shop' })).rejects.toMatchObject({
      retry: true,
      detail: expect.stringMatching(/^Heroku did not answer the new app .*; try again\.$/),
    });
  });

  it('is an error when it is longer than any answer', async () => {
    let sent = 0;
    const long = () =>
      new ReadableStream<Uint8Array>({
        pull: (one) => {
          sent += 1;
          one.enqueue(new Uint8Array(1024 * 1024));
          if (sent === 50) one.close();
        },
      });
    odd = { call: /^POST \/apps$/, answer: () => new Response(long()) };
    await expect(herokuPlatform(parts).ensureApp(app, { name: 'shop' })).rejects.toMatchObject({ retry: true });
    expect(sent).toBeLessThan(20);
  });

  it('is refused when it leads elsewhere, where the token does not go', async () => {
    const asked: unknown[] = [];
    const elsewhere = createServer(({ headers }, response) => {
      asked.push(headers.authorization);
      response.end('{}');
    });
    await new Promise<void>((resolve) => elsewhere.listen(0, '127.0.0.1', resolve));
    const address = elsewhere.address();
    const location = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/`;
    odd = { call: /^POST \/apps$/, answer: () => new Response(null, { status: 302, headers: { location } }) };
    await expect(herokuPlatform(parts).ensureApp(app, { name: 'shop' })).rejects.toMatchObject({ retry: false });
    expect(asked).toEqual([]);
    await new Promise((resolve) => elsewhere.close(resolve));
  });
});

/** A body that fails when its request is given up. */
function endWith(controller: ReadableStreamDefaultController, signal: AbortSignal | null | undefined): void {
  signal?.addEventListener('abort', () => controller.error(signal.reason));
}
