import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';

/** A port on 127.0.0.1 for each name. */
export type Ports<Name extends string> = Readonly<Record<Name, number>>;

/**
 * A free port for each name: the same as at the last start, as long as nobody else has taken it, so that addresses that
 * people have written down go on working.
 */
export async function stablePorts<Name extends string>(file: string, names: readonly Name[]): Promise<Ports<Name>> {
  const known = readPorts(file);
  const taken = new Set<number>();
  const ports: Partial<Record<Name, number>> = {};
  for (const name of names) {
    const last = known[name];
    const port = last !== undefined && !taken.has(last) && (await isFree(last)) ? last : await freePort();
    taken.add(port);
    ports[name] = port;
  }
  writeFileSync(file, `${JSON.stringify(ports, null, 2)}\n`);
  return ports as Record<Name, number>;
}

function readPorts(file: string): Record<string, number | undefined> {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return {};
  }
}

/** Whether nobody listens on that port of 127.0.0.1. */
export async function isFree(port: number): Promise<boolean> {
  return (await tryPort(port)) !== null;
}

async function freePort(): Promise<number> {
  const port = await tryPort(0);
  if (port === null) throw new Error('There is no free port on 127.0.0.1.');
  return port;
}

async function tryPort(port: number): Promise<number | null> {
  const server = createServer();
  try {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    return typeof address === 'object' && address ? address.port : null;
  } catch {
    return null;
  } finally {
    await new Promise((resolve) => server.close(resolve));
  }
}
