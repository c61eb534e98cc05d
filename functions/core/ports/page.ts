import * as v from 'valibot';
import { about, type Sent, text, textOrNull } from '../schema.ts';

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

/** `<user>`, `<token>`, `<owner>` and `<repository>` are the reader's to fill in. */
export const SetupText = about(
  'How the webhook of one sender is set up.',
  v.object({
    id: text,
    name: text,
    sends: about(
      '`pushes`, as repository hosts do, or `builds`, as CI providers do.',
      v.picklist(['pushes', 'builds']),
    ),
    where: about('The settings page, or the file to edit.', text),
    settings: about('The settings to enter there: name and value.', v.array(v.strictTuple([text, text]))),
    lines: about('The lines to add to a file.', textOrNull),
    notes: v.array(text),
    previews: about(
      'What to add to the events for previews of pull requests; null where they are not read.',
      textOrNull,
    ),
  }),
);

export type SetupText = Sent<typeof SetupText>;

/** Returns the set-up of every sender that can be set up, for the service at an address. */
export type SetupTexts = (service: string) => Promise<readonly SetupText[]>;
