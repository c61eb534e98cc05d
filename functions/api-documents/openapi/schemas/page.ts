import type { Schema } from '../types.ts';
import { list, object, text, textOrNull } from './build.ts';

export const pageSchemas: Readonly<Record<string, Schema>> = {
  Service: object('The service.', {
    name: text,
    version: text,
    links: { type: 'object', description: 'Addresses; `<user>` stands for a user name.', additionalProperties: text },
  }),
  Senders: object('The senders that can be set up.', { senders: list('SetupText') }),
  SetupText: object('How the webhook of one sender is set up.', {
    id: text,
    name: text,
    sends: { type: 'string', enum: ['pushes', 'builds'] },
    where: { type: 'string', description: 'The settings page, or the file to edit.' },
    settings: {
      type: 'array',
      description: 'The settings to enter there: name and value.',
      items: { type: 'array', items: text },
    },
    lines: { ...textOrNull, description: 'The lines to add to a file.' },
    notes: { type: 'array', items: text },
  }),
};
