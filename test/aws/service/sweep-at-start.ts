/** The event with which a start has the sweep look after unfinished deploys. */
export type SweepAtStart = { readonly everything: true } | { readonly messagesKeptUntil: number };

/** A start. */
interface Start {
  /** Whether functions run as strictly as on AWS. */
  readonly strict?: boolean | undefined;
  /** Until when messages were kept, in milliseconds; null when those of before are lost. */
  readonly messagesKeptUntil: number | null;
}

/**
 * Returns that event; null when the start leaves them to their queues and to the schedule. So does a strict one, as on
 * AWS nothing starts anew: messages in flight and leases of workers that are gone end by their time. Where messages
 * were lost, which does not happen there, everything is sent again.
 */
export function sweepAtStart({ strict, messagesKeptUntil }: Start): SweepAtStart | null {
  if (messagesKeptUntil === null) return { everything: true };
  return strict ? null : { messagesKeptUntil };
}
