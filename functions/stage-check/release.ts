import { type Entry, ended, entryAddress, isAlive } from '../core/entry/entry.ts';
import { checkInWords, type Verdict } from '../core/hold/checks.ts';
import { jobOf } from '../core/pipeline/job.ts';
import { PATIENCE } from '../core/pipeline/stage.ts';
import type { StageOutcome } from '../core/pipeline/stage-work.ts';
import type { Gate } from '../core/ports/deploy-facts.ts';
import type { Step } from '../core/ports/deploy-log.ts';
import { overtakenBy } from './overtaken.ts';
import type { CheckPorts } from './ports.ts';

/**
 * What a passed build sets off besides a deploy of its own: it waits for the other checks of the commit, releases the push that waits for it, or finds the commit
 * deployed already. Null when neither is so and the build's own entry is the one to deploy. A commit may stand on two
 * branches that are both deployed: the gate is that of the build's own.
 */
export async function releaseHeld(
  entry: Entry,
  verdict: Verdict,
  gate: Gate,
  ports: CheckPorts,
): Promise<StageOutcome | null> {
  if (verdict.says === 'pending') {
    const reason = `The build passed, but nothing is deployed before ${checkInWords(verdict.check)} has passed as well.`;
    return { kind: 'ended', status: 'skipped', reason };
  }
  const held = gate.held === null ? null : await ports.log.read(entry.user, gate.held);
  if (held?.status === 'held') return release(held, { build: entry, version: gate.version }, ports);
  if (gate.deploying === null || gate.deploying === entry.number) return null;
  const other = await ports.log.read(entry.user, gate.deploying);
  if (!other || !isAlive(other.status)) return null;
  const reason = `The build passed; this commit is deployed by ${entryAddress(entry.base, other)}.`;
  return { kind: 'ended', status: 'skipped', reason };
}

/** A passed build, and the version of the gate at which no other check stands in the way. */
interface Passed {
  readonly build: Entry;
  readonly version: number;
}

async function release(held: Entry, passed: Passed, ports: CheckPorts): Promise<StageOutcome> {
  const { build } = passed;
  const address = entryAddress(build.base, held);
  const newer = await overtakenBy(held, true, ports);
  const now = ports.clock.now();
  const moved = await moveHeld(held, ports, newer ? dropped(newer, now) : released(passed, now));
  // Its time ran out just now, another build was faster, or another check has spoken: look again at what is so by now.
  if (!moved) return { kind: 'again', afterSeconds: 0 };
  if (!newer) await ports.queue.send(jobOf(moved));
  await ports.queue.report(moved);
  const reason = newer
    ? `The build passed, but a newer commit is deployed; ${address} is superseded.`
    : `The build passed and released the deploy that waited for it: ${address}.`;
  return { kind: 'ended', status: 'skipped', reason };
}

/** Moves an entry that is still held; null when it is not. */
async function moveHeld({ user, number }: Entry, { log }: CheckPorts, step: (held: Entry) => Step) {
  let isHeld = false;
  const moved = await log.move(user, number, (current) => {
    isHeld = current.status === 'held';
    return isHeld ? step(current) : null;
  });
  return isHeld ? moved : null;
}

function released({ build, version }: Passed, now: number): (held: Entry) => Step {
  return (held) => ({
    entry: { ...held, status: 'running', stage: 'fetch', reason: null, updatedAt: now, place: build.seq },
    gate: { held: null, deploying: held.number, awaitsPush: false },
    ifVersion: version,
    goes: true,
    due: now + PATIENCE,
  });
}

function dropped(reason: string, now: number): (held: Entry) => Step {
  return (held) => ({ entry: ended(held, 'superseded', reason, now), gate: { held: null }, due: now });
}
