import type { Server } from 'node:net';
import type { Target } from '../../http/forwarder.ts';
import { appKey, type RunnerEvent } from '../calls.ts';
import type { RunnerLimits } from '../settings.ts';
import type { Told } from '../told.ts';
import type { AppProxy } from './proxy.ts';

/** The runner before, which serves each application until it is taken over from it. */
export interface Predecessor {
  /**
   * Has a server listen on the port of an application, when it has one, and the application end there; `isAlone` waits for that
   * end, and ends its runs of cron too.
   */
  take(key: string, server: Server, isAlone?: boolean): Promise<void>;
  /** Resolves when it has ended. */
  readonly gone: Promise<void>;
}

/** How an application is given to the runner that succeeds this one. */
export interface Give {
  /** Gives the sockets of its port. */
  readonly sockets: (sockets: readonly Server[]) => Promise<void>;
  /** Tells that nothing of it runs any more; present: it must not run twice, so that its runs of cron are ended too. */
  readonly ended?: (() => Promise<void>) | undefined;
}

interface PortParts {
  readonly told: Told;
  readonly proxy: AppProxy;
  readonly report: (type: string, more: Pick<RunnerEvent, 'port' | 'detail'>) => void;
  readonly predecessor: Predecessor | undefined;
  readonly limits: Pick<RunnerLimits, 'drainMs'>;
}

/** The port of an application, on which its proxy listens: from its first start on it stays the same. */
export class AppPort {
  #isElsewhere = false;

  constructor(private readonly parts: PortParts) {
    const { told, proxy, predecessor } = parts;
    if (!predecessor || told.now.port === null) return;
    this.#isElsewhere = true;
    proxy.pointTo(here(told.now.port));
    void predecessor.gone.then(async () => this.#isElsewhere && this.open());
  }

  /** Whether the runner before still serves the application. */
  get isElsewhere(): boolean {
    return this.#isElsewhere;
  }

  /** Has the proxy listen, also before the first release starts, unless the runner before serves. */
  async openHere(): Promise<void> {
    if (!this.#isElsewhere) await this.open();
  }

  /** Has the runner before end what it serves; requests wait here. */
  async endElsewhere(): Promise<void> {
    if (this.#isElsewhere) await this.open(undefined, true);
  }

  /** Has the proxy listen; what the runner before serves is served at `address` from now on. */
  async open(address?: Target, isAlone = false): Promise<void> {
    const { told, proxy, report, predecessor } = this.parts;
    if (this.#isElsewhere) proxy.pointTo(address);
    const taken = this.#isElsewhere ? predecessor : undefined;
    const before = told.now.port;
    const port = await proxy.open(before === null ? [] : [before], (server) =>
      Promise.resolve(taken?.take(appKey(told.now), server, isAlone)),
    );
    this.#isElsewhere = false;
    if (port === before) return;
    told.change({ port });
    if (before === null) report('app.port', { port });
    else report('app.moved', { port, detail: `Port ${before} is taken; it is ${port} now.` });
  }

  /** Gives the port to another runner; returns where that serves, and the end of the connections that there are. */
  async give(give: Give): Promise<{ readonly to: Target | undefined; readonly left: Promise<void> }> {
    const { told, proxy, limits } = this.parts;
    const sockets = proxy.sockets();
    await give.sockets(sockets);
    const to = sockets.length === 0 || told.now.port === null ? undefined : here(told.now.port);
    return { to, left: proxy.leave(limits.drainMs) };
  }
}

function here(port: number): Target {
  return { host: '127.0.0.1', port };
}
