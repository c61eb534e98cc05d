import type { ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { hostName } from '../../http/app-domain.ts';
import { refuse, refuseUpgrade } from '../../http/refusal.ts';
import type { Door } from '../../http/servers.ts';
import type { Runner } from '../runner.ts';
import { Waiting } from './waiting.ts';

/** Serves requests for applications by their Host header. */
export interface FrontDoor extends Door {
  /** Returns the runner of the application to which a host name leads. */
  find(host: string | undefined): Runner | undefined;
}

const UNKNOWN_APP = { status: 404, sentence: 'There is no application at this address.' };

interface LedDoor extends FrontDoor {
  /** Tells it which applications there are. */
  readonly lead: (all: readonly Runner[]) => void;
  /** Tells it that these are all: requests have waited for that. */
  readonly begin: () => void;
}

export function frontDoor(limits: ConstructorParameters<typeof Waiting>[0]): LedDoor {
  let names: ReadonlyMap<string, Runner> = new Map();
  let hasBegun = false;
  const waiting = new Waiting(limits);
  const visit = (stream: ServerResponse | Duplex, serve: () => void) => {
    if (hasBegun) serve();
    else waiting.add(stream, serve);
  };
  const find = (host: string | undefined) => {
    const app = names.get(hostName(host));
    // Nothing is at its address until it is started for the first time.
    return app?.spec.now.release === null && app.state() === 'stopped' ? undefined : app;
  };
  return {
    find,
    lead: (all) => {
      names = namesOf(all);
    },
    begin: () => {
      hasBegun = true;
      waiting.end();
    },
    serve: (request, response) => {
      visit(response, () => {
        const app = find(request.headers.host);
        if (app) app.proxy.serve(request, response);
        else refuse(request, response, UNKNOWN_APP);
      });
    },
    upgrade: (request, socket, head) => {
      // Its client may leave while it waits.
      socket.on('error', () => socket.destroy());
      visit(socket, () => {
        const app = find(request.headers.host);
        if (app) app.proxy.upgrade(request, socket, head);
        else refuseUpgrade(socket, UNKNOWN_APP);
      });
    },
  };
}

function namesOf(all: readonly Runner[]): ReadonlyMap<string, Runner> {
  const entries = all.flatMap((runner) => {
    const { hosts, domains } = runner.spec.now;
    return [...hosts, ...domains].map((name) => [name, runner] as const);
  });
  return new Map(entries);
}
