/** Whether a commit waits for CI, by the configuration in its own tree. */
export type HoldDecision =
  | { readonly hold: false; readonly note: string | null }
  | { readonly hold: true; readonly waitsFor: string };

/** A CI provider whose configuration file can hold a push. */
export interface CiConfig {
  readonly provider: string;
  /** Path of the configuration file in the repository. */
  readonly path: string;
  /** The provider's webhooks may be set outside the file as well: that it has called before counts, too. */
  readonly elsewhere?: boolean;
  /** Reads the file. Throws a DeployError that names file and line when it cannot be parsed. */
  decide(text: string): HoldDecision;
}
