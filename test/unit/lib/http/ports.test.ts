import { randomInt } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isTaken, listen, listenOnFirst, portOf, type ReservedPort, reservePort } from '../../../../lib/http/ports.ts';
import { releaseAll, reserveStablePorts } from '../../../../lib/http/stable-ports.ts';
import { newFolder } from '../../../support/new-folder.ts';

const open: (Server | ReservedPort)[] = [];
afterEach(async () => {
  for (const one of open.splice(0)) await ('release' in one ? one.release() : new Promise((done) => one.close(done)));
});

function httpServer(): Server {
  const server = createServer((_request, response) => response.end('served'));
  open.push(server);
  return server;
}

/** Whether the port of 127.0.0.1 is free. */
async function isFree(port: number): Promise<boolean> {
  try {
    await (await reservePort(port)).release();
    return true;
  } catch (error) {
    if (isTaken(error)) return false;
    throw error;
  }
}

/** A free port of a range from which no other test takes one: what is taken at random begins at 20000. */
async function ownPort(): Promise<number> {
  const port = randomInt(10_000, 20_000);
  return (await isFree(port)) ? port : ownPort();
}

async function reserved(port = 0): Promise<ReservedPort> {
  const held = await reservePort(port);
  open.push(held);
  return held;
}

describe('A reserved port', () => {
  it('cannot be taken by another program', async () => {
    const { port } = await reserved();
    await expect(listen(httpServer(), port)).rejects.toThrow('EADDRINUSE');
    expect(await isFree(port)).toBe(false);
  });

  it('is handed over to a server, which answers on it', async () => {
    const held = await reserved();
    const server = httpServer();
    expect(await listen(server, held)).toBe(held.port);
    await held.release();
    expect(await (await fetch(`http://127.0.0.1:${held.port}`)).text()).toBe('served');
  });

  it('is free when the server that took it over has closed', async () => {
    const held = await reserved(await ownPort());
    const server = createServer();
    await listen(server, held);
    await new Promise((done) => server.close(done));
    expect(await isFree(held.port)).toBe(true);
  });

  it('is free when it has been released', async () => {
    const held = await reserved(await ownPort());
    await held.release();
    await held.release();
    expect(await isFree(held.port)).toBe(true);
  });

  it('cuts connections until a server has taken it over', async () => {
    const { port } = await reserved();
    await expect(fetch(`http://127.0.0.1:${port}`)).rejects.toThrow('fetch failed');
  });
});

describe('A port of this machine, as its people open it', () => {
  const onIPv6 = () => {
    const server = createServer((_request, response) => response.end('another'));
    open.push(server);
    return server;
  };
  const hasIPv6 = networkInterfaces().lo?.some(({ address }) => address === '::1') ?? false;

  it.runIf(hasIPv6)('is served on ::1 too, so that no other program has it there', async () => {
    const port = await listen(httpServer(), 0);
    expect(await (await fetch(`http://[::1]:${port}`)).text()).toBe('served');
    await expect(listen(onIPv6(), port, '::1')).rejects.toThrow('EADDRINUSE');
  });

  it.runIf(hasIPv6)('is not to be had while another program has it on ::1', async () => {
    const port = await listen(onIPv6(), await ownPort(), '::1');
    await expect(reservePort(port)).rejects.toThrow(/EADDRINUSE.*::1/);
    expect(await listenOnFirst(httpServer(), [port])).not.toBe(port);
  });

  it.runIf(hasIPv6)('is held on ::1 while it is reserved, handed over and free after the end', async () => {
    const held = await reserved(await ownPort());
    await expect(listen(onIPv6(), held.port, '::1')).rejects.toThrow('EADDRINUSE');
    const server = createServer((_request, response) => response.end('served'));
    await listen(server, held);
    const answer = await fetch(`http://[::1]:${held.port}`, { headers: { connection: 'close' } });
    expect(await answer.text()).toBe('served');
    await new Promise((done) => server.close(done));
    expect(await listen(onIPv6(), held.port, '::1')).toBe(held.port);
  });
});

describe('Listening on the first port of a list', () => {
  it('A port that is taken is skipped', async () => {
    const { port } = await reserved();
    const server = httpServer();
    expect(await listenOnFirst(server, [port])).toBe(portOf(server));
    expect(portOf(server)).not.toBe(port);
  });
});

describe('Stable ports', () => {
  let folder: string;
  beforeEach(async () => {
    folder = newFolder('ports');
  });

  /** The numbers that a start reserves; they are free again afterwards. */
  async function start(warn = (_: string) => {}): Promise<Record<'one' | 'other', number>> {
    const ports = await reserveStablePorts(join(folder, 'ports.json'), ['one', 'other'], warn);
    await releaseAll(Object.values(ports));
    return { one: ports.one.port, other: ports.other.port };
  }

  /** The numbers of an earlier start. */
  async function startedBefore(): Promise<Record<'one' | 'other', number>> {
    const one = await ownPort();
    let other = one;
    while (other === one) other = await ownPort();
    await writeFile(join(folder, 'ports.json'), JSON.stringify({ one, other }));
    return { one, other };
  }
  const kept = async () => JSON.parse(await readFile(join(folder, 'ports.json'), 'utf8'));

  it('Stable ports are kept in a file, and are the same at each start', async () => {
    const first = await start();
    expect(await kept()).toEqual(first);
    const known = await startedBefore();
    expect(await start()).toEqual(known);
    expect(await kept()).toEqual(known);
  });

  it('Stable ports of other names stay in the file', async () => {
    const known = await startedBefore();
    const { third } = await reserveStablePorts(join(folder, 'ports.json'), ['third']);
    await third.release();
    expect(await start()).toEqual(known);
    expect(await kept()).toEqual({ ...known, third: third.port });
  });

  it('Stable ports change only where another program has taken one, and a warning says which', async () => {
    const first = await startedBefore();
    await reserved(first.one);
    const warnings: string[] = [];
    const second = await start((sentence) => warnings.push(sentence));
    expect(warnings).toEqual([
      `Port ${first.one} (one) is taken by another program; from now on it is port ${second.one}.`,
    ]);
    expect(second.one).not.toBe(first.one);
    expect(second.other).toBe(first.other);
    expect(await kept()).toEqual(second);
  });

  // The port of an outgoing connection cannot be taken, so a server could not be started again.
  it.skipIf(process.platform !== 'linux')('Stable ports are none that the system gives to connections', async () => {
    const [first = 0] = (await readFile('/proc/sys/net/ipv4/ip_local_port_range', 'utf8')).split(/\s+/).map(Number);
    const { one, other } = await start();
    expect([one, other].every((port) => port < first)).toBe(true);
  });

  it('Stable ports are kept when another program has one for a moment only', async () => {
    const first = await startedBefore();
    const held = await reserved(first.one);
    setTimeout(() => void held.release(), 150);
    expect(await start()).toEqual(first);
  });

  it.each(['', 'null', 'garbage{', '{"one":"80"}', '{"one":-1,"other":70000}'])(
    'Stable ports are new when the file holds %j',
    async (text) => {
      await writeFile(join(folder, 'ports.json'), text);
      const { one, other } = await start();
      expect([one, other].every((port) => port > 1023 && port < 65_536)).toBe(true);
    },
  );

  it('Stable ports differ even when the file names one port twice', async () => {
    const { one } = await startedBefore();
    await writeFile(join(folder, 'ports.json'), JSON.stringify({ one, other: one }));
    const { other } = await start();
    expect(other).not.toBe(one);
  });
});
