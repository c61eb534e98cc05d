import * as v from 'valibot';
import { about, type Sent, text, time, timeOrNull } from '../../core/schema.ts';

const Rights = about(
  'What it may: read only, or deploy, release, cancel and roll back too; absent: all but making tokens.',
  v.picklist(['read', 'deploy']),
);
const token = { name: v.pipe(text, v.maxLength(64)), rights: v.exactOptional(Rights), created_at: time };

export const Token = about('An API token, without its value.', v.object(token));
export const Tokens = about('The API tokens of the user.', v.object({ tokens: v.array(Token) }));
export const NewToken = about(
  'An API token that was made; `token` is shown this once.',
  v.object({ ...token, token: text }),
);
export const TokenRequest = v.looseObject({ name: token.name, rights: token.rights });

const pairing = {
  host: text,
  login: about('The login at the repository host.', text),
  app: about('The application that it is restricted to, or `*`.', text),
  scopes: v.array(text),
  expires_at: timeOrNull,
};

export const Pairing = about('A stored token of a repository host, without its value.', v.object(pairing));
export const Pairings = about(
  'The stored tokens of a repository host.',
  v.object({
    host: text,
    hosts: about('The names of all hosts that are configured.', v.array(text)),
    pairings: v.array(Pairing),
  }),
);
export const ForgottenPairing = about(
  'A token that is no longer stored.',
  v.object({ ...pairing, forgotten: v.boolean(), detail: text }),
);
export const PairingRequest = v.looseObject({
  credentials: about('`<login>:<token>`; the first colon separates them.', text),
});

export type Token = Sent<typeof Token>;
export type Tokens = Sent<typeof Tokens>;
export type NewToken = Sent<typeof NewToken>;
export type Pairing = Sent<typeof Pairing>;
export type Pairings = Sent<typeof Pairings>;
