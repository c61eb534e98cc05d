import type { HookCall } from '../../../core/ports/sender.ts';

/** How a sender signs: what the call carries, and whether one secret made it. */
export interface Scheme {
  /** Whether the call is signed at all, well or badly. */
  isSigned(headers: HookCall['headers']): boolean;
  /** Whether this secret made the signature; `now` is in milliseconds since 1970. Never throws. */
  isValid(call: HookCall, secret: string, now: number): boolean;
}
