/** The encodings in which a file of the page is kept. */
export type PageEncoding = 'br' | 'gzip' | 'identity';

/** The names of the files that the document of the page loads. */
export interface PageNames {
  readonly script: string;
  readonly style: string;
  readonly icon: string;
}

/** The files of the page as they were bundled: each is named for its content, so it never changes. */
export interface PageFiles {
  names(): Promise<PageNames>;
  /** Returns the bytes of a file in an encoding; null when there is no such file. */
  read(name: string, encoding: PageEncoding): Promise<Uint8Array | null>;
}

/** How to set up the webhook of one sender. `<user>`, `<token>`, `<owner>` and `<repository>` are the reader's to fill in. */
export interface SetupText {
  readonly id: string;
  readonly name: string;
  /** `pushes`, as repository hosts do, or `builds`, as CI providers do. */
  readonly sends: 'pushes' | 'builds';
  /** The settings page, or the file to edit. */
  readonly where: string;
  /** The settings to enter there: name and value. */
  readonly settings: readonly (readonly [string, string])[];
  /** The lines to add to a file; null for none. */
  readonly lines: string | null;
  readonly notes: readonly string[];
  /** What to add to the events for previews of pull requests; null where they are not read. */
  readonly previews: string | null;
}

/** Returns the set-up of every sender that can be set up, for the service at an address. */
export type SetupTexts = (service: string) => Promise<readonly SetupText[]>;
