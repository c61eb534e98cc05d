import * as v from 'valibot';
import { StreamEnd } from './log.ts';
import { about, integer, type Sent, text, textOrNull } from './parts.ts';

export const Command = about(
  'A command for the release that is live.',
  v.object({ command: about('The program and its arguments; a single text is a line for the shell.', v.array(text)) }),
);

export const Run = about(
  'A command that runs. It is ended when its output is not read for ten seconds.',
  v.object({ id: about('Of its output and its input.', text) }),
);

const Piece = v.object({
  stream: v.picklist(['stdout', 'stderr']),
  data: about('A piece of the output in base64.', text),
});

const Exit = v.object({
  exit: about('The exit code; 128 and its number for a signal.', integer),
  reason: about('The limit that it exceeded, as the end of a sentence.', textOrNull),
});

export const RunOutput = about(
  'What a command says: its output, and at last how it has ended. Read on after `status:changes:timeout`.',
  v.union([Piece, Exit, StreamEnd]),
);

export const RunInput = about(
  'What a command gets.',
  v.object({
    data: about('Input in base64.', v.exactOptional(text)),
    end: about('Whether that was all of its input.', v.exactOptional(v.boolean())),
    signal: about(
      'For all its processes.',
      v.exactOptional(v.picklist(['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT', 'SIGKILL'])),
    ),
  }),
);

/** What a command says before the stream of it ends. */
export type Said = Sent<typeof Piece> | Sent<typeof Exit>;
export type RunInput = Sent<typeof RunInput>;
