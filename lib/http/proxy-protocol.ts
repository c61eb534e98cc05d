import { once } from 'node:events';
import { chmodSync, rmSync } from 'node:fs';
import type { Server } from 'node:http';
import { isIPv6, type Socket } from 'node:net';

/** The longest header of version 1, with its line end: https://www.haproxy.org/download/2.9/doc/proxy-protocol.txt */
const MOST_BYTES = 107;
const HEADER = /^PROXY (?:UNKNOWN|TCP[46] (\S+) (\S+) (\d{1,5}) (\d{1,5}))\r\n/;

/** The ends of a connection, as its client sees them. */
type Ends = Readonly<Partial<Record<'remoteAddress' | 'localAddress' | 'remotePort' | 'localPort', string | number>>>;

/** Returns the header of the PROXY protocol, version 1, that says whose connection is passed on. */
export function proxyHeader({ remoteAddress, localAddress, remotePort, localPort }: Socket): string {
  // A client that has left again has no address.
  if (remoteAddress === undefined || localAddress === undefined) return 'PROXY UNKNOWN\r\n';
  const family = isIPv6(remoteAddress) ? 'TCP6' : 'TCP4';
  return `PROXY ${family} ${remoteAddress} ${localAddress} ${remotePort} ${localPort}\r\n`;
}

/**
 * Listens on a socket of the file system, on which each connection begins with a header of the PROXY protocol: its
 * addresses and ports are those of the header from then on. All listeners of connections must be there already. Only this user can
 * connect. A socket that an earlier process has left at the path is replaced.
 */
export async function listenBehind(server: Server, path: string): Promise<void> {
  const serve = server.listeners('connection');
  server.removeAllListeners('connection');
  server.on('connection', (connection: Socket) => {
    connection.on('error', () => connection.destroy());
    connection.once('data', (bytes: Buffer) => {
      const header = HEADER.exec(bytes.subarray(0, MOST_BYTES).toString('latin1'));
      if (!header) return void connection.destroy();
      connection.pause();
      const rest = bytes.subarray(header[0].length);
      if (rest.length > 0) connection.unshift(rest);
      name(connection, endsIn(header));
      for (const one of serve) one.call(server, connection);
      process.nextTick(() => connection.resume());
    });
  });
  rmSync(path, { force: true });
  server.listen(path);
  await once(server, 'listening');
  chmodSync(path, 0o600);
}

function endsIn([, remoteAddress, localAddress, remotePort, localPort]: readonly (string | undefined)[]): Ends {
  if (remoteAddress === undefined || localAddress === undefined) return {};
  return { remoteAddress, localAddress, remotePort: Number(remotePort), localPort: Number(localPort) };
}

/** On a socket of the file system these have no value of their own. */
function name(connection: Socket, ends: Ends): void {
  for (const [property, value] of Object.entries(ends)) {
    Object.defineProperty(connection, property, { value, configurable: true });
  }
}
