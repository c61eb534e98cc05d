import type { Server } from 'node:net';
import { appKey, type RunnerEvent } from '../calls.ts';
import type { CurrentSpec } from '../current-spec.ts';
import type { RunnerLimits } from '../settings.ts';
import type { AppProxy } from './proxy.ts';
import type { AppTarget } from './web-servers.ts';

/** The runner before, which serves each application until it is taken over from it. */
export interface Predecessor {
  /**
   * Makes a server listen on the port of an application, if it has one, and ends the application there. `isAlone` waits for
   * that end, and ends its cron runs too.
   */
  take(key: string, server: Server, isAlone?: boolean): Promise<void>;
  /** Resolves when it has ended. */
  readonly gone: Promise<void>;
}

/** The handover of an application to the runner that succeeds this one. */
export interface PortHandover {
  /** Sends the sockets of its port. */
  readonly sockets: (sockets: readonly Server[]) => Promise<void>;
  /** Called when nothing of it runs any more. Present: it must not run twice, so its cron runs end too. */
  readonly ended?: (() => Promise<void>) | undefined;
}

interface PortParts {
  readonly spec: CurrentSpec;
  readonly proxy: AppProxy;
  readonly report: (type: string, more: Pick<RunnerEvent, 'port' | 'detail'>) => void;
  readonly predecessor: Predecessor | undefined;
  readonly limits: Pick<RunnerLimits, 'drainMs'>;
}

/** The port of an application, on which its proxy listens: from its first start on it stays the same. */
export class AppPort {
  #isElsewhere = false;

  constructor(private readonly parts: PortParts) {
    const { spec, proxy, predecessor } = parts;
    if (!predecessor || spec.now.port === null) return;
    this.#isElsewhere = true;
    proxy.pointTo(here(spec.now.port));
    void predecessor.gone.then(async () => this.#isElsewhere && this.open());
  }

  /** Whether the runner before still serves the application. */
  get isElsewhere(): boolean {
    return this.#isElsewhere;
  }

  /** Makes the proxy listen, also before the first release starts, unless the runner before serves. */
  async openHere(): Promise<void> {
    if (!this.#isElsewhere) await this.open();
  }

  /** Ends what the runner before serves; requests wait here. */
  async endElsewhere(): Promise<void> {
    if (this.#isElsewhere) await this.open(undefined, true);
  }

  /** Makes the proxy listen; what the runner before serves is served at `address` from now on. */
  async open(address?: AppTarget, isAlone = false): Promise<void> {
    const { spec, proxy, report, predecessor } = this.parts;
    if (this.#isElsewhere) proxy.pointTo(address);
    const taken = this.#isElsewhere ? predecessor : undefined;
    const before = spec.now.port;
    const port = await proxy.open(before === null ? [] : [before], (server) =>
      Promise.resolve(taken?.take(appKey(spec.now), server, isAlone)),
    );
    this.#isElsewhere = false;
    if (port === before) return;
    spec.change({ port });
    if (before === null) report('app.port', { port });
    else report('app.moved', { port, detail: `Port ${before} is taken; it is ${port} now.` });
  }

  /** Hands the port over to another runner; returns where that serves, and the end of the connections that there are. */
  async handOver(
    handover: PortHandover,
  ): Promise<{ readonly to: AppTarget | undefined; readonly left: Promise<void> }> {
    const { spec, proxy, limits } = this.parts;
    const sockets = proxy.sockets();
    await handover.sockets(sockets);
    const to = sockets.length === 0 || spec.now.port === null ? undefined : here(spec.now.port);
    return { to, left: proxy.leave(limits.drainMs) };
  }
}

/** The other runner asks for the password too. */
function here(port: number): AppTarget {
  return { host: '127.0.0.1', port, isDoor: true };
}
