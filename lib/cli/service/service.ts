/** A service and the login there. */
export interface Service {
  /** Without a slash at the end. */
  readonly url: string;
  readonly user: string;
  /** Password or API token. */
  readonly secret: string;
  /** The source of the choice, as the end of a sentence. */
  readonly from: string;
  /** The data folder, for the service of this machine. */
  readonly dataDir?: string;
}
