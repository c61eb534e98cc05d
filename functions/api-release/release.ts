import type { HttpAnswer, HttpRequest } from '../api/http.ts';
import { entryAddress } from '../core/entry/entry.ts';
import { findEntry } from '../core/entry/find.ts';
import { row } from '../core/entry/views.ts';
import { type HoldPorts, releaseByHand } from '../core/hold/hold.ts';
import type { DeployLog } from '../core/ports/deploy-log.ts';

/** The ports of releasing a deploy by hand. */
export interface ReleasePorts extends HoldPorts {
  readonly log: Pick<DeployLog, 'read' | 'move'>;
}

/**
 * `POST /1/status/<user>/changes/<id>/release`: lets a held deploy go without its CI. `202` with the entry, which
 * deploys now; `200` with the entry unchanged when it is not held, so that a second call does no harm.
 */
export function release(ports: ReleasePorts): (request: HttpRequest) => Promise<HttpAnswer> {
  return async ({ user, params, base }) => {
    const entry = await findEntry(ports.log, user, params.id ?? '');
    const released = entry.status === 'held' ? await releaseByHand(entry, ports) : null;
    // Between the two reads CI may have called, or the hold may have expired.
    const shown = released ?? (await findEntry(ports.log, user, entry.id));
    return {
      status: released ? 202 : 200,
      headers: { 'cache-control': 'no-cache', location: entryAddress(base, shown) },
      body: row(shown, { base, docs: 'false' }),
    };
  };
}
