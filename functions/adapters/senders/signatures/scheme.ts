import type { HookCall } from '../../../core/ports/sender.ts';

export interface SignatureScheme {
  /** Whether the call has a signature, valid or not. */
  isSigned(headers: HookCall['headers']): boolean;
  /** Whether the signature was made with this secret; `now` is in milliseconds since 1970. Never throws. */
  isValid(call: HookCall, secret: string, now: number): boolean;
  /**
   * For senders that publish their public key: returns the key in what the sender's API responds at the address that is
   * configured in place of a secret. Throws an Error that quotes nothing of it when there is none.
   */
  readonly publishedKey?: (response: string) => string;
}
