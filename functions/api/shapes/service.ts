import * as v from 'valibot';
import { SetupText } from '../../core/ports/page.ts';
import { about, type Sent, text } from '../../core/schema.ts';

export const Service = about(
  'The service.',
  v.object({
    name: text,
    version: text,
    links: about('Addresses; `<user>` stands for a user name.', v.record(text, text)),
  }),
);

export const Senders = about(
  'The senders that can be set up.',
  v.object({
    default_branch: about('The branch that is deployed where the address of a webhook names none.', text),
    senders: v.array(SetupText),
  }),
);

export type Senders = Sent<typeof Senders>;
export type Service = Sent<typeof Service>;
export { SetupText };
