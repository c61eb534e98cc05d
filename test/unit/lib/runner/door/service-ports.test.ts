import { createServer, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { listen, portOf } from '../../../../../lib/http/ports.ts';
import { listenBehind } from '../../../../../lib/http/proxy-protocol.ts';
import { ServicePorts } from '../../../../../lib/runner/door/service-ports.ts';
import { newFolder } from '../../../../support/new-folder.ts';

const LIMITS = { waitMs: 60_000, mostWaiting: 3 };

describe('The ports of the service', () => {
  let folder: string;
  let ports: ServicePorts;
  let socket: string;
  const ends: (() => unknown)[] = [];
  const opened = (limits = LIMITS) => {
    const made = new ServicePorts(join(folder, 'ports.json'), limits);
    ends.push(() => made.leave(0));
    return made;
  };
  beforeEach(() => {
    folder = newFolder('ports');
    socket = join(folder, 'api.sock');
    ports = opened();
  });
  afterEach(async () => {
    for (const end of ends.splice(0)) await end();
  });

  const api = (port = 0) => ({ name: 'api', socket, port });
  /** A service that answers with the ends of the connection and the body. */
  const service = async () => {
    const server = createServer(async (asked, answer) => {
      const { remoteAddress, localPort } = asked.socket;
      const body = await asked.setEncoding('utf8').reduce((text: string, piece: string) => text + piece, '');
      answer.end(`${remoteAddress} ${localPort} ${body}`);
    });
    await listenBehind(server, socket);
    const close = () => {
      server.closeAllConnections();
      server.close();
    };
    ends.push(close);
    return close;
  };
  const ask = (port: number, body = '') =>
    new Promise<string>((resolve, reject) => {
      const asked = request({ port, host: '127.0.0.1', method: 'POST', agent: false }, async (answer) => {
        const text = await answer.setEncoding('utf8').reduce((all: string, piece: string) => all + piece, '');
        resolve(`${answer.statusCode} ${text}`);
      });
      asked.once('error', reject).end(body);
    });

  it('lead to the service, which sees the address and the port of the client', async () => {
    await service();
    const { ports: open } = await ports.listen([api()]);
    expect(await ask(open.api ?? 0, 'x'.repeat(300_000))).toBe(`200 127.0.0.1 ${open.api} ${'x'.repeat(300_000)}`);
  });

  it('keep who calls while the service is away until it is back', async () => {
    const { ports: open } = await ports.listen([api()]);
    const early = [ask(open.api ?? 0, 'a'), ask(open.api ?? 0, 'b')];
    const close = await service();
    expect(await Promise.all(early)).toEqual([`200 127.0.0.1 ${open.api} a`, `200 127.0.0.1 ${open.api} b`]);
    close();
    const later = ask(open.api ?? 0, 'c');
    await service();
    expect(await later).toBe(`200 127.0.0.1 ${open.api} c`);
  });

  it('refuse with a sentence who would be one too many, or waits too long', async () => {
    ports = opened({ waitMs: 1, mostWaiting: 3 });
    const { ports: open } = await ports.listen([api()]);
    expect(await ask(open.api ?? 0)).toMatch(/^503 .*The service is being started; try again in a moment\./);
    ports = opened({ waitMs: 60_000, mostWaiting: 0 });
    const { ports: other } = await ports.listen([api()]);
    expect(await ask(other.api ?? 0, 'x'.repeat(100_000))).toMatch(/^503 /);
  });

  it('wait for nobody who has left', async () => {
    const { ports: open } = await ports.listen([api()]);
    for (let count = 0; count < LIMITS.mostWaiting; count += 1) (await connected(open.api ?? 0)).resetAndDestroy();
    const early = ask(open.api ?? 0, 'a');
    await service();
    expect(await early).toBe(`200 127.0.0.1 ${open.api} a`);
  });

  it('pass on the end of either side, and of a connection that is cut', async () => {
    const { ports: open } = await ports.listen([api()]);
    const seen: string[] = [];
    const server = createServer((asked, answer) => {
      asked.once('aborted', () => seen.push('cut'));
      answer.flushHeaders();
    });
    await listenBehind(server, socket);
    ends.push(() => server.close());
    const client = await connected(open.api ?? 0);
    client.write('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nx');
    await new Promise((resolve) => client.once('data', resolve));
    client.resetAndDestroy();
    await expect.poll(() => seen).toEqual(['cut']);
  });

  it('stay open when they are asked for again, and close when they are not', async () => {
    const { ports: open } = await ports.listen([api()]);
    const [before] = ports.sockets();
    expect(await ports.listen([api(open.api)])).toEqual({ ports: open, warnings: [] });
    expect(await ports.listen([api(0)])).toEqual({ ports: open, warnings: [] });
    expect(ports.sockets()[0]).toBe(before);
    const { ports: others } = await ports.listen([{ name: 'other', socket, port: 0 }]);
    expect(Object.keys(others)).toEqual(['other']);
    await expect(ask(open.api ?? 0)).rejects.toThrow('ECONNREFUSED');
  });

  it('are as they were when another one cannot be had', async () => {
    const { ports: open } = await ports.listen([api()]);
    const taken = createServer();
    ends.push(() => taken.close());
    await listen(taken, 0);
    await expect(ports.listen([api(portOf(taken))])).rejects.toThrow('EADDRINUSE');
    expect(ports.held().map(({ port }) => port)).toEqual([open.api]);
  });

  it('have the number of the last start where it is stable', async () => {
    const stable = { name: 'repositories', socket, port: 'stable' } as const;
    const { ports: first } = await ports.listen([stable]);
    await ports.listen([]);
    const { ports: second } = await opened().listen([stable]);
    expect(second).toEqual(first);
  });
});

it('A connection without the header of the PROXY protocol is cut', async () => {
  const server = createServer((_, answer) => answer.end());
  const path = join(newFolder('proxy'), 'a.sock');
  await listenBehind(server, path);
  for (const bytes of ['GET / HTTP/1.1\r\n\r\n', 'PROXY TCP4 1.2.3.4\r\n', `PROXY ${'x'.repeat(200)}\r\n`]) {
    const client = connect(path).on('error', () => {});
    client.write(bytes);
    await new Promise((resolve) => client.once('close', resolve).resume());
  }
  server.close();
});

function connected(port: number): Promise<Socket> {
  return new Promise((resolve) => {
    const client = connect(port, '127.0.0.1', () => resolve(client));
  });
}
