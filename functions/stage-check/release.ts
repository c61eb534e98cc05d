import { type Entry, ended, entryAddress, isFinal } from '../core/entry.ts';
import { jobOf } from '../core/job.ts';
import type { Gate } from '../core/ports/deploy-log.ts';
import { PATIENCE, type StageOutcome } from '../core/stage.ts';
import type { CheckPorts } from './check.ts';
import { overtakenBy } from './overtaken.ts';

/**
 * What a passed build sets off besides a deploy of its own: it releases the push that waits for it, or finds the commit
 * deployed already. Null when neither is so and the build's own entry is the one to deploy.
 */
export async function releaseHeld(entry: Entry, gate: Gate, ports: CheckPorts): Promise<StageOutcome | null> {
  const held = gate.held === null ? null : await ports.log.read(entry.user, gate.held);
  if (held?.status === 'held') return release(held, entry, ports);
  if (gate.deploying === null || gate.deploying === entry.number) return null;
  const other = await ports.log.read(entry.user, gate.deploying);
  if (!other || other.status === 'error' || (isFinal(other.status) && other.status !== 'ok')) return null;
  const reason = `The build passed; this commit is deployed by ${entryAddress(entry.base, other)}.`;
  return { kind: 'ended', status: 'skipped', reason };
}

async function release(held: Entry, build: Entry, ports: CheckPorts): Promise<StageOutcome> {
  const address = entryAddress(build.base, held);
  const newer = await overtakenBy(held, true, ports);
  const moved = await (newer ? supersede(held, newer, ports) : goOn(held, ports));
  if (!moved) return { kind: 'ended', status: 'skipped', reason: `The build passed; ${address} went on without it.` };
  if (!newer) await ports.queue.send(jobOf(moved));
  await ports.queue.report(moved);
  const reason = newer
    ? `The build passed, but a newer commit is deployed; ${address} is superseded.`
    : `The build passed and released the deploy that waited for it: ${address}.`;
  return { kind: 'ended', status: 'skipped', reason };
}

function goOn({ user, number }: Entry, { log, clock }: CheckPorts): Promise<Entry | null> {
  const now = clock.now();
  return log.move(user, number, (current) =>
    current.status !== 'held'
      ? null
      : {
          entry: { ...current, status: 'running', stage: 'fetch', reason: null, updatedAt: now },
          gate: { held: null, deploying: number, awaitsPush: false },
          goes: true,
          due: now + PATIENCE,
        },
  );
}

function supersede({ user, number }: Entry, reason: string, { log, clock }: CheckPorts): Promise<Entry | null> {
  const now = clock.now();
  return log.move(user, number, (current) =>
    current.status !== 'held'
      ? null
      : { entry: ended(current, 'superseded', reason, now), gate: { held: null }, due: now },
  );
}
