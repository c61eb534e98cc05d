/** Whether a push waits for CI, by the configuration file in its commit. */
export type HoldDecision =
  | { readonly hold: false; readonly note: string | null }
  | { readonly hold: true; readonly waitsFor: string };

/** A CI provider whose configuration file can hold a push. */
export interface CiConfig {
  readonly provider: string;
  /** Path of the configuration file in the repository. */
  readonly path: string;
  /** The webhook may be configured outside the file too: a push also waits if the provider has called before. */
  readonly alsoElsewhere: boolean;
  /** Decides by the content of the file. Throws a DeployError that names file and line when it cannot be parsed. */
  decide(text: string): HoldDecision;
}
