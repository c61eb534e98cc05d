import { connect, type Socket } from 'node:net';
import { hasCode } from '../../files/errors.ts';
import { proxyHeader } from '../../http/proxy-protocol.ts';
import { type Refusal, refuseUpgrade } from '../../http/refusal.ts';

export interface PassageLimits {
  /** How long a connection waits while the service is away. */
  readonly waitMs: number;
  /** How many wait at most. */
  readonly mostWaiting: number;
}

const AWAY: Refusal = {
  status: 503,
  sentence: 'The service is being started; try again in a moment.',
  headers: { 'retry-after': '1' },
};
const LOOK_MS = 50;

/**
 * Passes the bytes of connections on to the service, which listens on a socket of the file system, after a header with the
 * address of the client. While the service is away they wait, so that a restart of it refuses nobody.
 */
export class Passage {
  /** The connections that wait, and until when. */
  readonly #waiting = new Map<Socket, number>();
  #timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly path: string,
    private readonly limits: PassageLimits,
  ) {}

  /** Takes a connection that nobody has read from. */
  pass(client: Socket): void {
    client.on('error', () => client.destroy());
    this.#connect(client, performance.now() + this.limits.waitMs);
  }

  #connect(client: Socket, until: number, connected = () => {}): void {
    const service = connect({ path: this.path, allowHalfOpen: true });
    const failed = (error: Error) => {
      if (isAway(error)) this.#wait(client, until);
      else client.destroy();
    };
    service.once('error', failed);
    service.once('connect', () => {
      service.off('error', failed).on('error', () => client.destroy());
      join(client, service);
      connected();
    });
  }

  #wait(client: Socket, until: number): void {
    if (client.destroyed) return;
    const isFull = this.#waiting.size >= this.limits.mostWaiting;
    if (isFull || performance.now() > until) return void refuse(client);
    this.#waiting.set(client, until);
    this.#timer ??= setTimeout(() => this.#look(), LOOK_MS).unref();
  }

  /** Tries the connection that has waited longest: when the service takes that, it takes all. */
  #look(): void {
    this.#timer = undefined;
    const now = performance.now();
    for (const [client, until] of this.#waiting) {
      if (now <= until && !client.destroyed) continue;
      this.#waiting.delete(client);
      refuse(client);
    }
    const [longest] = this.#waiting;
    if (!longest) return;
    this.#waiting.delete(longest[0]);
    this.#connect(...longest, () => this.#goOn());
    if (this.#waiting.size > 0) this.#timer = setTimeout(() => this.#look(), LOOK_MS).unref();
  }

  #goOn(): void {
    const all = [...this.#waiting];
    this.#waiting.clear();
    for (const [client, until] of all) this.#connect(client, until);
  }
}

/** Nothing listens on the socket, or what listens takes no more connections for now. */
function isAway(error: Error): boolean {
  return ['ENOENT', 'ECONNREFUSED', 'EAGAIN'].some((code) => hasCode(error, code));
}

function join(client: Socket, service: Socket): void {
  if (client.destroyed) return void service.destroy();
  service.write(proxyHeader(client));
  client.on('close', () => service.destroy());
  service.on('close', () => client.destroySoon());
  client.pipe(service);
  service.pipe(client);
}

function refuse(client: Socket): void {
  // Unread bytes would have the system cut the connection before its client has read the answer.
  client.resume();
  refuseUpgrade(client, AWAY);
}
