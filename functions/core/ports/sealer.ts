/** The owner of a sealed secret; opening it requires the same context. */
export interface SealContext {
  readonly purpose: 'repo-token';
  readonly user: string;
  readonly host: string;
}

/** Seals secrets before they are stored. */
export interface Sealer {
  /** Returns the sealed string, `v1.…`. */
  seal(secret: string, context: SealContext): Promise<string>;
  /** Returns the secret. Throws when the string was not sealed with this context. */
  open(sealed: string, context: SealContext): Promise<string>;
}
