import * as v from 'valibot';
import { RUN_SIGNALS } from '../../core/output/run-request.ts';
import { StreamEnd } from './log.ts';
import { about, integer, type Sent, text, textOrNull } from './parts.ts';

const Terminal = v.object({
  columns: about('From 1 to 10000.', integer),
  rows: about('From 1 to 10000.', integer),
  type: about('The variable `TERM`; `xterm` by default, and of no effect later.', v.exactOptional(text)),
});

export const Command = about(
  'A command for the release that is live.',
  v.object({
    command: about('The program and its arguments; a single text is a line for the shell.', v.array(text)),
    terminal: about('Gives it a terminal like this, where the platform can.', v.exactOptional(Terminal)),
  }),
);

export const Run = about(
  'A command that runs. It is ended when its output is not read for ten seconds.',
  v.object({
    id: about('Of its output and its input.', text),
    terminal: about('Whether it has a terminal, all of whose output is `stdout`.', v.boolean()),
  }),
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
    signal: about('For all its processes.', v.exactOptional(v.picklist(RUN_SIGNALS))),
    terminal: about('The new size of its terminal.', v.exactOptional(Terminal)),
  }),
);

/** A line of a command's stream. */
export type Said = Sent<typeof Piece> | Sent<typeof Exit>;
export type RunStart = Sent<typeof Command>;
export type RunStarted = Sent<typeof Run>;
export type RunInput = Sent<typeof RunInput>;
