import type { Entry } from '../core/entry/entry.ts';
import { isDeploy } from '../core/entry/kinds.ts';
import { appOf, snapshotOf } from '../core/entry/snapshot.ts';
import { endHoldOfDeployed } from '../core/hold/hold.ts';
import type { StageOutcome, StageWork } from '../core/pipeline/stage-work.ts';
import { operate, type StartPorts, started } from './operate.ts';

/**
 * Returns the work of the stage `start`: the platform starts the snapshot, and moves the traffic to it once it answers;
 * or it does what the entry's `operation` says. The application is claimed first, so that a late deploy never replaces
 * a newer one. A restart claims nothing, because it does not change what runs.
 */
export function start(ports: StartPorts): StageWork {
  return async (entry) => {
    if (entry.operation === 'restart') return operate(entry.operation, entry, ports);
    const { user, app } = appOf(entry);
    if (!(await ports.facts.claimApp(user, app, entry.order ?? entry.number))) {
      const reason = `A newer deploy of ${app} was started before this ${isDeploy(entry) ? 'one' : 'operation'}.`;
      return { kind: 'ended', status: 'superseded', reason };
    }
    return entry.operation === 'stop' || entry.operation === 'rename' || entry.operation === 'remove'
      ? operate(entry.operation, entry, ports)
      : startSnapshot(entry, ports);
  };
}

async function startSnapshot(entry: Entry, ports: StartPorts): Promise<StageOutcome> {
  const { platform, trace } = ports;
  const { url, note } = await platform.start(snapshotOf(entry));
  // A hold that outlives its commit's deploy only expires later, so this must not fail the deploy either.
  await endHoldOfDeployed(entry, ports).catch((error: unknown) => trace('hold not ended', { error }));
  const { detail, changes } = started(url);
  const transition = { changes, activates: true };
  return { kind: 'done', detail, ...(note && { warning: note }), transition };
}
