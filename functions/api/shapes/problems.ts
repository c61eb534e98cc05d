import * as v from 'valibot';
import { errors, type ErrorCode as KnownCode } from '../../core/errors.ts';
import { about, integer, type Sent, text, uri } from '../../core/schema.ts';

export const ErrorCode = about(
  'The code of an error. `GET /errors` explains each.',
  v.picklist(Object.keys(errors) as KnownCode[]),
);

export const Problem = about(
  'An error (RFC 9457).',
  v.object({
    type: about('The address that explains the code.', uri),
    title: about('The reason in one sentence, the same for every error of this code.', text),
    status: v.pipe(integer, v.minValue(400), v.maxValue(599)),
    code: ErrorCode,
    detail: about('What was tried, on what, and what to do next.', text),
    uuid: about('The `x-api-uuid` of the request.', text),
  }),
);

export const ErrorExplanation = about(
  'What an error code means, and what to try.',
  v.object({
    type: uri,
    code: ErrorCode,
    status: integer,
    retry: about('Whether the same request may succeed later.', v.boolean()),
    reason: text,
    advice: text,
  }),
);

export const ErrorExplanations = about('Every error code.', v.object({ errors: v.array(ErrorExplanation) }));

export type ErrorExplanation = Sent<typeof ErrorExplanation>;
