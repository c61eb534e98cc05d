import type { Delivery } from '../payload/delivery.ts';

/** A webhook call: header names in lower case, the body parsed as JSON, and its raw bytes for signatures. */
export interface HookCall {
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly query: Readonly<Record<string, string | undefined>>;
  readonly body: unknown;
  readonly raw: Uint8Array;
}

/** A kind of webhook sender: one module each. */
export interface Sender {
  /** The name of the sender, for messages and the registry. */
  readonly name: string;
  /** Whether the call comes from this sender, from headers and the shape of the body alone. */
  recognises(call: HookCall): boolean;
  /**
   * What the call says. A Bitbucket call may hold several pushes, hence the list.
   * Throws `deploy:provider:not_supported` naming what is missing.
   */
  read(call: HookCall): readonly Delivery[];
}
