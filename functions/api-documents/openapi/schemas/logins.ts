import type { Schema } from '../types.ts';
import { list, object, text, time, timeOrNull } from './build.ts';

const token = { name: { type: 'string', maxLength: 64 }, created_at: time } as const;
const pairing = {
  host: text,
  login: { type: 'string', description: 'The login at the repository host.' },
  app: { type: 'string', description: 'The application that it is restricted to, or `*`.' },
  scopes: { type: 'array', items: text },
  expires_at: timeOrNull,
} as const;

export const loginSchemas: Readonly<Record<string, Schema>> = {
  Tokens: object('The API tokens of the user.', { tokens: list('Token') }),
  Token: object('An API token, without its value.', token),
  NewToken: object('An API token that was made; `token` is shown this once.', { ...token, token: text }),
  TokenRequest: { type: 'object', properties: { name: token.name }, required: ['name'] },
  Pairings: object('The stored tokens of a repository host.', { host: text, pairings: list('Pairing') }),
  Pairing: object('A stored token of a repository host, without its value.', pairing),
  ForgottenPairing: object('A token that is no longer stored.', {
    ...pairing,
    forgotten: { type: 'boolean' },
    detail: text,
  }),
  PairingRequest: {
    type: 'object',
    properties: { credentials: { type: 'string', description: '`<login>:<token>`; the first colon separates them.' } },
    required: ['credentials'],
  },
};
