import { hasCode } from '../processes/error-code.ts';
import { OperatorError } from '../processes/operator-error.ts';
import { reservePort } from '../processes/ports.ts';

/**
 * Checks that the API's port can be had, before the seconds that the rest of the start takes; 0 is any free one.
 *
 * @throws OperatorError when another program has the port, and when this user may not have it
 */
export async function checkPort(port: number, reserve: typeof reservePort = reservePort): Promise<void> {
  if (port === 0) return;
  try {
    await (await reserve(port)).release();
  } catch (error) {
    if (hasCode(error, 'EADDRINUSE')) throw new OperatorError(`${taken(port)}: end that one, or ${ANOTHER}.`);
    if (hasCode(error, 'EACCES')) throw new OperatorError(`${forbidden(port)}: ${ANOTHER}, behind a reverse proxy.`);
    throw error;
  }
}

const ANOTHER = 'set PORT to another port (0: any free one)';

function taken(port: number): string {
  return `Port ${port} of 127.0.0.1 is taken by another program`;
}

/** https://man7.org/linux/man-pages/man7/capabilities.7.html: CAP_NET_BIND_SERVICE */
function forbidden(port: number): string {
  return `Port ${port} needs rights that this user does not have (EACCES), as ports below 1024 usually do`;
}
