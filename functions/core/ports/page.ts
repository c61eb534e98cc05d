import type { SetupText } from '../../api/shapes/service.ts';

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

/** Returns the set-up of every sender that can be set up, for the service at an address. */
export type SetupTexts = (service: string) => Promise<readonly SetupText[]>;
