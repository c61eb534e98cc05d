import type { Schema } from '../types.ts';
import { count, list, object, ref, text, time } from './build.ts';

export const logSchemas: Readonly<Record<string, Schema>> = {
  LogPage: object('A page of the log, newest first.', {
    total: count,
    skip: count,
    limit: { type: 'integer', minimum: 1, maximum: 100 },
    rows: list('Entry'),
  }),
  Changes: object(
    'The answer of `feed=longpoll` and `feed=normal`. `code` and `status` are there when it failed half-way.',
    {
      results: list('Entry'),
      last_seq: count,
      code: { type: 'string', const: 'status:changes:fatal' },
      status: { type: 'integer' },
    },
    ['code', 'status'],
  ),
  StreamEnd: object(
    'The last line of a stream that the service ends. `last_seq` is there in a stream of changes: connect again with `since` set to it.',
    {
      code: { type: 'string', enum: ['status:changes:timeout', 'status:changes:fatal'] },
      status: { type: 'integer' },
      last_seq: count,
    },
    ['last_seq'],
  ),
  ChangesLine: { description: 'A line of the stream of changes.', oneOf: [ref('Entry'), ref('StreamEnd')] },
  OutputLine: {
    description: 'A line of output, or the end of the stream.',
    oneOf: [
      object('What was printed.', {
        at: time,
        stream: { type: 'string', enum: ['stdout', 'stderr', 'platform'] },
        line: text,
      }),
      ref('StreamEnd'),
    ],
  },
};
