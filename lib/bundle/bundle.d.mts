/** A program and its bundle. */
export interface Bundle {
  /** The module that is run; relative to the root of the checkout. */
  readonly entry: string;
  readonly outfile: string;
  /** `esm` by default. CommonJS starts faster. */
  readonly format?: 'esm' | 'cjs';
}

/**
 * Bundles a module and all that it imports into a file that Node runs as it is; not when there is one of the same
 * sources. What an ES module imports when it needs it lies beside it. Files beside a module are found in the checkout.
 * Returns whether it was bundled.
 */
export function bundled(bundle: Bundle): Promise<boolean>;

/** Copies a bundle out of the folder of programs, where it is made once for all data folders. */
export function bundledCopy(bundle: Omit<Bundle, 'format'>): Promise<void>;

/**
 * Returns the folder of the bundled programs, in the checkout. What this program and those that it starts keep in the
 * folder for temporary files is in the checkout too from then on. A checkout of somebody else and a package of npm are
 * left alone: for them it is in the user's cache.
 */
export function programFolder(): string;

/** The absolute paths of all that an output was made from, and of its files. */
export interface Made {
  readonly inputs: readonly string[];
  readonly outputs: readonly string[];
}

/**
 * Makes an output unless there is one that this Node has made from the same sources. `make` writes the files;
 * `source` names them. Returns whether they were made.
 */
export function kept(outfile: string, source: string, make: () => Promise<Made>): Promise<boolean>;
