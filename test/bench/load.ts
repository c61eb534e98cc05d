import { Agent, request } from 'node:http';
import { setTimeout } from 'node:timers/promises';

/** A request's time and status. */
export interface Shot {
  readonly ms: number;
  readonly status: number;
}

/** Returns what to send; `number` is different for each request. */
export type Aim = (number: number) => { url: string; headers: Record<string, string>; body: string };

/** Sends `total` requests with a fixed concurrency. */
export async function closedLoop(aim: Aim, inFlight: number, total: number): Promise<Shot[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: inFlight });
  const shots: Shot[] = [];
  let next = 0;
  const worker = async () => {
    while (next < total) {
      next += 1;
      shots.push(await shoot(aim(next), agent));
    }
  };
  await Promise.all(Array.from({ length: inFlight }, worker));
  agent.destroy();
  return shots;
}

/** Pause of a sender before it tries again what was not taken. */
const AGAIN_AFTER_MS = 1000;

/**
 * Sends `total` requests with a fixed concurrency, each until it is taken, as a sender that tries again does. Returns
 * the first tries, and how many there were in all.
 */
export async function persistentLoop(
  aim: Aim,
  inFlight: number,
  total: number,
): Promise<{ readonly first: readonly Shot[]; readonly tries: number }> {
  const agent = new Agent({ keepAlive: true, maxSockets: inFlight });
  const first: Shot[] = [];
  let tries = 0;
  let next = 0;
  const worker = async () => {
    while (next < total) {
      next += 1;
      const target = aim(next);
      for (let place = 0; ; place += 1) {
        if (place > 0) await setTimeout(AGAIN_AFTER_MS);
        const shot = await shoot(target, agent);
        tries += 1;
        if (place === 0) first.push(shot);
        if (shot.status < 500 && shot.status !== 429) break;
      }
    }
  };
  await Promise.all(Array.from({ length: inFlight }, worker));
  agent.destroy();
  return { first, tries };
}

/** Whether a delivery was accepted, or was known already. */
export function isTaken({ status }: Shot): boolean {
  return status === 202 || status === 200;
}

/** Returns how many were not taken, by the status of the answer; empty when all were. */
export function refusals(shots: readonly Shot[]): string {
  const counts = new Map<number, number>();
  for (const shot of shots) if (!isTaken(shot)) counts.set(shot.status, (counts.get(shot.status) ?? 0) + 1);
  return [...counts].map(([status, count]) => `${count} × ${status}`).join(', ');
}

/** Sends requests at a fixed rate, without waiting for earlier ones; times count from when each was due. */
export async function openLoop(aim: Aim, perSecond: number, seconds: number): Promise<Shot[]> {
  const agent = new Agent({ keepAlive: true });
  const start = performance.now();
  const pending: Promise<Shot>[] = [];
  for (let number = 0; number < perSecond * seconds; number += 1) {
    const due = start + (number * 1000) / perSecond;
    const early = due - performance.now();
    if (early > 1) await setTimeout(early);
    pending.push(shoot(aim(number), agent, due));
  }
  const shots = await Promise.all(pending);
  agent.destroy();
  return shots;
}

function shoot(target: ReturnType<Aim>, agent: Agent, due = performance.now()): Promise<Shot> {
  return new Promise((resolve, reject) => {
    const { url, headers, body } = target;
    const call = request(url, {
      method: 'POST',
      agent,
      headers: { ...headers, 'content-length': Buffer.byteLength(body) },
    });
    call.on('error', reject);
    call.on('response', (answer) => {
      answer.resume();
      answer.on('end', () => resolve({ ms: performance.now() - due, status: answer.statusCode ?? 0 }));
    });
    call.end(body);
  });
}
