/** What a sealed secret belongs to; opening needs the same context again. */
export interface SealContext {
  readonly purpose: 'repo-token';
  readonly user: string;
  readonly host: string;
}

/** Seals secrets before they are stored. */
export interface Sealer {
  /** The sealed text, `v1.…`. */
  seal(secret: string, context: SealContext): Promise<string>;
  /** The secret. Throws when text or context do not fit. */
  open(sealed: string, context: SealContext): Promise<string>;
}
