import type { IncomingMessage, ServerResponse } from 'node:http';
import { isIP } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  type AddressPolicyOptions,
  addressPolicy,
  RefusedAddress,
  type ResolveAll,
} from '../../../../../../functions/adapters/hosts/http/address-policy.ts';
import { createHttpClient } from '../../../../../../functions/adapters/hosts/http/http-client.ts';
import { followRedirects } from '../../../../../../functions/adapters/hosts/http/redirects.ts';
import { httpServer } from '../../../../../support/service/http-server.ts';

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

/** A server on this machine, and the requests that it got. */
async function server() {
  const got: IncomingMessage[] = [];
  let answer: Answer = (_, response) => response.end('secrets of the inside');
  const { url, close } = await httpServer((request, response) => {
    got.push(request);
    answer(request, response);
  });
  const answerWith = (next: Answer) => {
    answer = next;
  };
  return { port: Number(new URL(url).port), got, answerWith, close };
}

let host: Awaited<ReturnType<typeof server>>;
let inside: Awaited<ReturnType<typeof server>>;

beforeAll(async () => {
  [host, inside] = await Promise.all([server(), server()]);
});
afterAll(() => Promise.all([host.close(), inside.close()]));
beforeEach(() => {
  host.got.length = 0;
  inside.got.length = 0;
});

/** For a busy machine: nothing here waits for a limit. */
const timeouts = { connectMs: 10_000, firstByteMs: 10_000, idleMs: 10_000 };

/** Fetches a path of the configured host, whose address is `web`, as the adapters do. */
async function fetchFrom(web: string, options: Partial<AddressPolicyOptions> = {}): Promise<unknown> {
  const policy = addressPolicy({ api: web, web, ...options });
  const send = followRedirects(createHttpClient(policy, timeouts), policy);
  const headers = { authorization: 'Bearer token-canary' };
  try {
    const response = await send({ method: 'GET', url: new URL('/archive', web), headers });
    response.discard();
    return response.status;
  } catch (error) {
    return error;
  }
}

describe('a redirect of a repository host, followed', () => {
  const targets = [
    'http://127.0.0.1:INSIDE/',
    '//127.0.0.1:INSIDE/',
    'http://localhost:INSIDE/',
    'http://LOCALHOST.:INSIDE/',
    'http://127.1:INSIDE/',
    'http://2130706433:INSIDE/',
    'http://0x7f.0.0.1:INSIDE/',
    'http://0177.0.0.1:INSIDE/',
    'http://0.0.0.0:INSIDE/',
    'http://0:INSIDE/',
    'http://[::1]:INSIDE/',
    'http://[::ffff:127.0.0.1]:INSIDE/',
    'http://[::ffff:7f00:1]:INSIDE/',
    'http://①②⑦.0.0.1:INSIDE/',
    'http://127.0.0.1:HOST@127.0.0.1:INSIDE/',
    'http://user:secret@127.0.0.1:HOST/archive',
    'http://127.0.0.1:HOST#@127.0.0.1:INSIDE/../..//127.0.0.1:INSIDE',
    'http:\\\\127.0.0.1:INSIDE\\',
    'http://169.254.169.254/latest/meta-data/',
    'http://[fd00:ec2::254]/latest/meta-data/',
    'https://127.0.0.1:INSIDE/',
    'file:///etc/passwd',
    'gopher://127.0.0.1:INSIDE/',
    'data:text/plain,secret',
    'javascript:alert(1)',
    'http://[',
  ];

  it.each(targets)('to %s does not reach anything inside', async (target) => {
    const location = target.replaceAll('INSIDE', String(inside.port)).replaceAll('HOST', String(host.port));
    host.answerWith(({ url }, response) => {
      if (url === '/archive') response.writeHead(302, { location: Buffer.from(location).toString('latin1') }).end();
      else response.end();
    });
    const outcome = await fetchFrom(`http://127.0.0.1:${host.port}`);
    expect(inside.got).toEqual([]);
    // An address of the host itself is the only one that may be called again.
    if (outcome !== 200) expect(outcome).toBeInstanceOf(RefusedAddress);
    for (const { headers } of host.got) expect(headers.host).toBe(`127.0.0.1:${host.port}`);
  });

  it('in a circle ends', async () => {
    host.answerWith((_, response) => response.writeHead(302, { location: '/archive' }).end());
    expect(await fetchFrom(`http://127.0.0.1:${host.port}`)).toBeInstanceOf(RefusedAddress);
    expect(host.got.length).toBeLessThanOrEqual(6);
  });
});

describe('a name of a repository host', () => {
  /** Resolves every name to the next of the addresses, and counts. */
  function resolver(...addresses: readonly (readonly string[])[]) {
    let asked = 0;
    const resolve: ResolveAll = (_hostname, _options, callback) => {
      const resolved = addresses[Math.min(asked, addresses.length - 1)] ?? [];
      asked += 1;
      callback(
        null,
        resolved.map((address) => ({ address, family: isIP(address) })),
      );
    };
    return { resolve, asked: () => asked };
  }

  it.each([
    [['127.0.0.1']],
    [['::1']],
    [['::ffff:127.0.0.1']],
    [['0.0.0.0']],
    [['169.254.169.254']],
    [['10.0.0.1']],
    [['93.184.216.34', '127.0.0.1']],
  ])('that resolves to %j is not connected to', async (addresses) => {
    const { resolve } = resolver(addresses);
    const outcome = await fetchFrom(`http://git.example.com:${inside.port}`, { resolve });
    expect(outcome).toBeInstanceOf(RefusedAddress);
    expect(inside.got).toEqual([]);
  });

  it('that is public when it is asked for first, and then inside, is not connected to: one answer is checked and used', async () => {
    const { resolve, asked } = resolver(['93.184.216.34'], ['127.0.0.1']);
    // Nothing answers there: it is refused by the network, or the time for a connection ends.
    expect(await fetchFrom(`http://git.example.com:${inside.port}`, { resolve })).toBeInstanceOf(Error);
    expect([asked(), inside.got]).toEqual([1, []]);
    expect(await fetchFrom(`http://git.example.com:${inside.port}`, { resolve })).toBeInstanceOf(RefusedAddress);
    expect(inside.got).toEqual([]);
  });

  it('that a redirect leads to is checked as well', async () => {
    const location = `http://git.example.com:${inside.port}/`;
    host.answerWith((_, response) => response.writeHead(302, { location }).end());
    const { resolve } = resolver(['127.0.0.1']);
    const downloadHosts = [`git.example.com:${inside.port}`];
    const outcome = await fetchFrom(`http://127.0.0.1:${host.port}`, { resolve, downloadHosts });
    expect(outcome).toBeInstanceOf(RefusedAddress);
    expect(inside.got).toEqual([]);
  });
});

describe('an answer of a repository host that nobody reads', () => {
  /** Returns what sends a request and leaves its answer unread; it tells whether one has had the connection of another. */
  function asking(body: string): () => Promise<boolean> {
    const web = `http://127.0.0.1:${host.port}`;
    const send = createHttpClient(addressPolicy({ api: web, web }));
    host.answerWith((_, response) => {
      response.writeHead(404, { 'content-length': body.length }).end(body);
    });
    return async () => {
      (await send({ method: 'GET', url: new URL(web), headers: {} })).discard();
      return new Set(host.got.map(({ socket }) => socket)).size < host.got.length;
    };
  }

  it('leaves its connection to a later request when it is short', async () => {
    // The rest of a body arrives after its head.
    await expect.poll(asking('There is no such file.')).toBe(true);
  });

  it('is cut off when it is long', async () => {
    const ask = asking('x'.repeat(1_000_000));
    await ask();
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(await ask()).toBe(false);
  });
});
