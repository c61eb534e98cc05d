import { DeployError, failsAs } from '../errors.ts';
import { type StreamLogin, type StreamLoginPorts, streamLogin } from '../login.ts';
import type { NoFreeSlot, StreamLease, StreamLeases } from '../ports/limits.ts';
import type { Trace } from '../ports/system.ts';

export interface LeasePorts extends StreamLoginPorts {
  readonly leases: StreamLeases;
  /** Seconds that a stream may occupy its function. */
  readonly seconds: number;
  readonly trace: Trace;
}

interface Streamed {
  readonly body: AsyncIterable<Uint8Array>;
}

/** How long before the function's end its stream ends, so that there is time for the last line. */
const MAX_MARGIN_MS = 5_000;

/** Returns when a stream that begins now must end, in milliseconds since 1970. */
export function streamEnd({ clock, seconds }: Pick<LeasePorts, 'clock' | 'seconds'>): number {
  return clock.now() + seconds * 1000 - Math.min(MAX_MARGIN_MS, seconds * 100);
}

/**
 * Opens a stream with its login in a slot, which is released when its body has ended or its reader has left. On AWS a
 * function cannot detect that its reader has left, so a slot may be taken until the function's end. Throws
 * `request:throttled` when no slot is free, and the errors of `open`.
 */
export async function leased<Answer extends Streamed>(
  request: Parameters<typeof streamLogin>[0] & { readonly uuid: string },
  ports: LeasePorts,
  open: (login: StreamLogin) => Promise<Answer>,
): Promise<Answer> {
  const lease = await acquire(request.user, ports);
  const release = () => releaseLease(lease, ports, request.uuid);
  try {
    const answer = await open(streamLogin(request, ports));
    return { ...answer, body: withEnd(answer.body, release) };
  } catch (error) {
    await release();
    throw error;
  }
}

/** Frees the slots of a lease. A failure is only logged: they are free again when the lease expires. */
export async function releaseLease(
  lease: StreamLease,
  { leases, trace }: Pick<LeasePorts, 'leases' | 'trace'>,
  uuid: string,
): Promise<void> {
  await leases.release(lease).catch((error: unknown) => trace('lease not released', { uuid, error }));
}

async function acquire(user: string, { leases, clock, seconds }: LeasePorts): Promise<StreamLease> {
  // Lambda ends the function by then.
  const until = clock.now() + seconds * 1000;
  const uncounted = failsAs('status:db:query_fail', 'The open streams could not be counted; ask again.');
  const taken = await leases.acquire(user, until).catch(uncounted);
  if ('id' in taken) return taken;
  const retryAfter = Math.max(1, Math.ceil((taken.freeAt - clock.now()) / 1000));
  throw new DeployError('request:throttled', refusal(taken, retryAfter), { retryAfter });
}

function refusal({ taken, slots }: NoFreeSlot, seconds: number): string {
  const whose = taken === 'user' ? `You have ${slots} open streams` : `The service has ${slots} open streams`;
  return (
    `${whose}, and no more are allowed; close one, or try again in ${seconds} s. A stream whose reader has left counts ` +
    'until its end. feed=normal and the WebSocket of signals are always open.'
  );
}

/** Calls `end` once: after the last piece, a failure, or when the reader leaves, even before the first piece. */
function withEnd(body: AsyncIterable<Uint8Array>, end: () => Promise<void>): AsyncIterable<Uint8Array> {
  return {
    [Symbol.asyncIterator]: () => {
      const pieces = body[Symbol.asyncIterator]();
      return {
        next: async () => {
          const piece = await pieces.next().catch(async (error: unknown) => {
            await end();
            throw error;
          });
          if (piece.done) await end();
          return piece;
        },
        return: async () => {
          await pieces.return?.();
          await end();
          return { done: true, value: undefined };
        },
      };
    },
  };
}
