/** How to set up the webhook of one sender. */
export interface SetupText {
  readonly id: string;
  readonly name: string;
  /** Whether it calls for pushes, as repository hosts do, or for builds, as CI providers do. */
  readonly sends: 'pushes' | 'builds';
  /** The settings page, or the file to edit. */
  readonly where: string;
  /** The settings to enter there: name and value. */
  readonly settings: readonly (readonly [name: string, value: string])[];
  /** The lines to add to a file; null when there are none. */
  readonly lines: string | null;
  /** Further notes, one or two sentences each. */
  readonly notes: readonly string[];
}

/**
 * Returns the set-up of every sender that can be set up, for the service at an address. `<user>`, `<token>`, `<owner>`
 * and `<repository>` stand for what only the reader knows.
 */
export type SetupTexts = (service: string) => Promise<readonly SetupText[]>;
