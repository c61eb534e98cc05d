import { errors } from '../../../core/errors.ts';
import type { Schema } from '../types.ts';
import { list, object, ref, text } from './build.ts';

export const problemSchemas: Readonly<Record<string, Schema>> = {
  ErrorCode: {
    type: 'string',
    description: 'The code of an error. `GET /errors` explains each.',
    enum: Object.keys(errors),
  },
  Problem: object('An error (RFC 9457).', {
    type: { type: 'string', format: 'uri', description: 'The address that explains the code.' },
    title: { type: 'string', description: 'The reason in one sentence, the same for every error of this code.' },
    status: { type: 'integer', minimum: 400, maximum: 599 },
    code: ref('ErrorCode'),
    detail: { type: 'string', description: 'What was tried, on what, and what to do next.' },
    uuid: { type: 'string', description: 'The `x-api-uuid` of the request.' },
  }),
  ErrorExplanations: object('Every error code.', { errors: list('ErrorExplanation') }),
  ErrorExplanation: object('What an error code means, and what to try.', {
    type: { type: 'string', format: 'uri' },
    code: ref('ErrorCode'),
    status: { type: 'integer' },
    retry: { type: 'boolean', description: 'Whether the same request may succeed later.' },
    reason: text,
    advice: text,
  }),
};
