import * as v from 'valibot';
import type * as core from '../../core/ports/page.ts';
import { about, type Sent, text, textOrNull } from '../../core/schema.ts';

export const Service = about(
  'The service.',
  v.object({
    name: text,
    version: text,
    links: about('Addresses; `<user>` stands for a user name.', v.record(text, text)),
  }),
);

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
) satisfies v.GenericSchema<core.SetupText>;

export const Senders = about(
  'The senders that can be set up.',
  v.object({
    default_branch: about('The branch that is deployed where the address of a webhook names none.', text),
    senders: v.array(SetupText),
  }),
);

export type Senders = Sent<typeof Senders>;
export type Service = Sent<typeof Service>;
export type SetupText = Sent<typeof SetupText>;
