import type { Delivery } from '../payload/delivery.ts';

/** A webhook call: header names in lower case, the body parsed as JSON, and its raw bytes for signatures. */
export interface HookCall {
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly query: Readonly<Record<string, string | undefined>>;
  readonly body: unknown;
  readonly raw: Uint8Array;
}

/** A service that calls the webhook: a repository host or a CI provider. */
export interface Sender {
  /** Unique: `github`, `github-actions`, `travis`, … */
  readonly id: string;
  /** The name for people, in messages and documentation. */
  readonly name: string;
  /**
   * The id of the sender whose webhook makes the calls, and whose configured secrets sign them. GitHub sends the
   * results of its Actions with the webhook of `github`.
   */
  readonly webhook: string;
  /**
   * Returns what the call reports. One call of Bitbucket may report several pushes.
   * Throws `deploy:provider:not_supported` naming the missing field.
   */
  read(call: HookCall): readonly Delivery[];
}

/** The result of checking the signature of a call. `unsupported`: the sender cannot sign. */
export type SignatureCheck = 'valid' | 'missing' | 'invalid' | 'unsupported';

/** A call whose signature is to be checked. */
export interface SignedCall {
  readonly sender: string;
  readonly call: HookCall;
  /** The secrets configured for its webhook: any of them may have signed. An empty string matches nothing. */
  readonly secrets: readonly string[];
  /** The current time in milliseconds since 1970, for schemes that sign the time. */
  readonly now: number;
}

/** Whether a push waits for CI, by the configuration file in its commit. */
export type HoldDecision =
  | { readonly hold: false; readonly note: string | null }
  | { readonly hold: true; readonly waitsFor: string };

/** A CI provider whose configuration file can hold a push. */
export interface CiConfig {
  readonly provider: string;
  /** Path of the configuration file in the repository. */
  readonly path: string;
  /** Decides by the content of the file. Throws a DeployError that names file and line when it cannot be parsed. */
  decide(text: string): HoldDecision;
}
