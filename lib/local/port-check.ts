import { hasCode, OperatorError } from '../files/errors.ts';
import { reservePort } from '../http/ports.ts';

interface WantedPort {
  /** 0: any free one. */
  readonly port: number;
  /** An address besides 127.0.0.1. */
  readonly host?: string | undefined;
}

const LOOPBACK = '127.0.0.1';

/**
 * Checks that the API's port can be had, before the seconds that the rest of the start takes.
 *
 * @throws OperatorError when another program has the port, when this user may not have it, and when the address is none
 * of this machine's
 */
export async function checkPort(
  { port, host = LOOPBACK }: WantedPort,
  reserve: typeof reservePort = reservePort,
): Promise<void> {
  for (const address of new Set([LOOPBACK, host])) {
    if (port === 0 && address === LOOPBACK) continue;
    try {
      await (await reserve(port, address)).release();
    } catch (error) {
      throw explained(error, port, addressIn(error) ?? address);
    }
  }
}

/** The address of the error is the other loopback address where only that is taken. */
function addressIn(error: unknown): string | undefined {
  return error instanceof Error && 'address' in error ? String(error.address) : undefined;
}

const ANOTHER = 'set PORT to another port (0: any free one)';

function explained(error: unknown, port: number, address: string): unknown {
  if (hasCode(error, 'EADDRINUSE')) {
    return new OperatorError(`Port ${port} of ${address} is taken by another program: end that one, or ${ANOTHER}.`);
  }
  if (hasCode(error, 'EACCES')) return new OperatorError(forbidden(port));
  if (hasCode(error, 'EADDRNOTAVAIL') || hasCode(error, 'EAFNOSUPPORT')) {
    return new OperatorError(`LISTEN is ${address}, which is not an address of this machine: "ip address" lists them.`);
  }
  return error;
}

/** https://man7.org/linux/man-pages/man7/capabilities.7.html: CAP_NET_BIND_SERVICE */
function forbidden(port: number): string {
  return (
    `Port ${port} needs rights that this user does not have (EACCES), as ports below 1024 usually do: ${ANOTHER} and put ` +
    'Caddy in front ("hooks server" prints its configuration), or give the right to the service with ' +
    '"AmbientCapabilities=CAP_NET_BIND_SERVICE" in its systemd unit, or to this Node with ' +
    `"sudo setcap cap_net_bind_service=+ep ${process.execPath}".`
  );
}
