import type { Server } from 'node:net';
import { adoptSocket, socketsOf } from '../../http/ports.ts';
import type { ServicePorts } from '../door/service-ports.ts';
import { killGroupsAfterwards } from './last-groups.ts';
import { DOOR, portKey } from './predecessor.ts';
import { type Descriptors, type ProgramOptions, SOCKET } from './protocol.ts';

/** The servers of a runner besides those of the service's ports. */
interface OwnServers {
  readonly door: Server;
  readonly calls: Server;
}

/**
 * The listening sockets of a runner. A shell keeps them when it is killed, ends its groups and becomes the next runner, with the
 * sockets as descriptors: who calls meanwhile waits in the queue of the kernel, and no process that lives a moment longer can
 * take a port.
 */
export class HeldSockets {
  readonly #inherited: Descriptors | undefined;
  readonly #hasNext: boolean;
  readonly #shell;

  constructor(
    options: ProgramOptions,
    private readonly service: ServicePorts,
  ) {
    const { lingerSeconds, inherited } = options;
    this.#inherited = inherited;
    // A manager of units starts what it has started before itself, but for systemd, which waits for all processes of a unit.
    this.#hasNext = lingerSeconds !== null || Boolean(process.env.INVOCATION_ID);
    this.#shell = killGroupsAfterwards((descriptors) => {
      const next: ProgramOptions = { ...options, held: service.held(), inherited: descriptors };
      return DOOR in descriptors ? [process.execPath, process.argv[1] ?? '', JSON.stringify(next)] : [];
    });
  }

  /** Opens the ports of the service as a runner had them that was killed, and keeps them for the next one at once. */
  async inherit({ held = [] }: Pick<ProgramOptions, 'held'>): Promise<void> {
    if (!this.#inherited) return;
    for (const one of held) await this.service.adopt(one, async (server) => void this.adopt(portKey(one), server));
    this.#shell.hold(this.#inherited);
  }

  /** Has a server listen on what was inherited for it; returns whether there is such. */
  adopt(key: string, server: Server): boolean {
    for (const fd of this.#inherited?.[key] ?? []) adoptSocket(server, { fd });
    return server.listening;
  }

  /** Has the shell keep what is open now. */
  hold({ door, calls }: OwnServers): void {
    const ports = this.service.held().map((one) => [portKey(one), descriptorsOf(this.service.sockets(one))]);
    const own = { [DOOR]: descriptorsOf(socketsOf(door)), [SOCKET]: descriptorsOf([calls]) };
    this.#shell.hold({ ...Object.fromEntries(ports), ...(this.#hasNext && own) });
  }

  /** Another runner has taken over: none comes after this one. */
  leave(): void {
    this.#shell.leave();
  }

  /** Ends the groups that are left, and keeps nothing. */
  end(): void {
    this.#shell.end();
  }
}

/** Returns the descriptors of servers that listen. Node tells those of handles only, which have no types. */
function descriptorsOf(servers: readonly Server[]): readonly number[] {
  return servers.flatMap((server) => {
    const handle: unknown = Reflect.get(server, '_handle');
    const fd: unknown = typeof handle === 'object' && handle !== null ? Reflect.get(handle, 'fd') : undefined;
    return typeof fd === 'number' && fd >= 0 ? [fd] : [];
  });
}
