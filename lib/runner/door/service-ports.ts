import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { addressesOf, leavePort, listen, portOf, socketsOf } from '../../http/ports.ts';
import { reserveStablePorts } from '../../http/stable-ports.ts';
import { Passage, type PassageLimits } from './passage.ts';

/** A port on which the runner listens for the service. */
export interface ServicePort {
  readonly name: string;
  /** The file of the socket to which its connections are passed on, in the folder of the runner. */
  readonly socket: string;
  /** 0: any free one; `stable`: that of the last start, where it can be had. */
  readonly port: number | 'stable';
  /** An address besides 127.0.0.1 and ::1. */
  readonly host?: string | undefined;
}

/** An open port of one address. That of 127.0.0.1 includes ::1. */
export interface HeldPort extends Pick<ServicePort, 'name' | 'socket'> {
  readonly port: number;
  readonly host: string;
}

/** The ports by their names, and sentences for the operator. */
export interface ListenAnswer {
  readonly ports: Readonly<Record<string, number>>;
  readonly warnings: readonly string[];
}

/**
 * The ports of the service. They belong to the runner, because applications outlive the service: one of them could take a port
 * that is free while the service is started again, and with it the passwords of all.
 */
export class ServicePorts {
  readonly #open = new Map<string, HeldPort & { readonly server: Server }>();
  readonly #passages = new Map<string, Passage>();

  /** @param file the file of the stable ports */
  constructor(
    private readonly file: string,
    private readonly limits: PassageLimits,
  ) {}

  /** What is open. */
  held(): readonly HeldPort[] {
    return [...this.#open.values()].map(({ server: _, ...held }) => held);
  }

  /** The listening sockets of one that is open, or of all. */
  sockets(held?: HeldPort): readonly Server[] {
    const all = held ? [this.#open.get(keyOf(held))] : [...this.#open.values()];
    return all.flatMap((one) => (one ? socketsOf(one.server) : []));
  }

  /**
   * Listens on these ports and on no others. A port that is open already stays so. Rejects with the system's error,
   * and changes nothing, when one cannot be had.
   */
  async listen(wanted: readonly ServicePort[]): Promise<ListenAnswer> {
    const warnings: string[] = [];
    const ports: Record<string, number> = {};
    const before = new Set(this.#open.keys());
    const kept = new Set<string>();
    try {
      for (const one of wanted) {
        for (const host of addressesOf(one.host)) {
          const port = one.port === 'stable' ? one.port : (ports[one.name] ?? one.port);
          const held = await this.#openOn({ ...one, host, port }, warnings);
          ports[one.name] ??= held.port;
          kept.add(keyOf(held));
        }
      }
    } catch (error) {
      for (const key of this.#open.keys()) if (!before.has(key)) this.#leave(key);
      throw error;
    }
    for (const key of [...this.#open.keys()]) if (!kept.has(key)) this.#leave(key);
    return { ports, warnings };
  }

  /** Takes over an open port of the runner before. */
  async adopt(held: HeldPort, take: (server: Server) => Promise<void>): Promise<void> {
    const server = this.#serverOf(held.socket);
    await take(server);
    if (server.listening) this.#open.set(keyOf(held), { ...held, server });
  }

  /** Listens no more, because another runner does. Resolves when the connections have ended, or after the time. */
  async leave(limitMs: number): Promise<void> {
    const servers = [...this.#open.values()].map(({ server }) => server);
    const ended = Promise.all(servers.map((server) => once(server, 'close')));
    for (const key of [...this.#open.keys()]) this.#leave(key);
    await Promise.race([ended, pause(limitMs, undefined, { ref: false })]);
  }

  async #openOn(wanted: ServicePort & { readonly host: string }, warnings: string[]) {
    const { name, socket, port, host } = wanted;
    const open = [...this.#open.values()].find((one) => one.name === name && one.host === host);
    if (open && (port === 0 || port === 'stable' || port === open.port)) return open;
    const server = this.#serverOf(socket);
    if (port === 'stable') {
      const reserved = await reserveStablePorts(this.file, [name], (sentence) => warnings.push(sentence));
      await reserved[name]?.handOver(server);
    } else await listen(server, port, host);
    const held = { name, socket, host, port: portOf(server), server };
    this.#open.set(keyOf(held), held);
    return held;
  }

  #serverOf(socket: string): Server {
    const passage = this.#passages.get(socket) ?? new Passage(socket, this.limits);
    this.#passages.set(socket, passage);
    return createServer({ allowHalfOpen: true, noDelay: true }, (client) => passage.pass(client));
  }

  #leave(key: string): void {
    const held = this.#open.get(key);
    this.#open.delete(key);
    if (held) leavePort(held.server);
  }
}

/** One address takes the connections of several ports while a new one replaces another. */
function keyOf({ name, host, port }: HeldPort): string {
  return `${name} ${host} ${port}`;
}
