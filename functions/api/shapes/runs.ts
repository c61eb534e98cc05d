import * as v from 'valibot';
import type * as core from '../../core/ports/processes.ts';
import { StreamEnd } from './log.ts';
import { about, integer, text, textOrNull } from './parts.ts';

const size = v.pipe(integer, v.minValue(1), v.maxValue(10_000));

const Terminal = v.object({
  columns: size,
  rows: size,
  type: about(
    'The variable `TERM`; `xterm` by default, and of no effect later.',
    v.exactOptional(v.pipe(text, v.regex(/^[\w.+-]{1,64}$/))),
  ),
});

const words = v.pipe(v.array(v.pipe(text, v.regex(/^[^\0]*$/))), v.minLength(1), v.maxLength(1000));

export const Command = about(
  'A command for the release that is live.',
  v.object({
    command: about('The program and its arguments; a single text is a line for the shell.', words),
    terminal: about('Gives it a terminal like this, where the platform can.', v.exactOptional(Terminal)),
  }),
) satisfies v.GenericSchema<core.RunStart>;

export const Run = about(
  'A command that runs. It is ended when its output is not read for ten seconds.',
  v.object({
    id: about('Of its output and its input.', text),
    terminal: about('Whether it has a terminal, all of whose output is `stdout`.', v.boolean()),
  }),
) satisfies v.GenericSchema<core.RunStarted>;

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
) satisfies v.GenericSchema<core.Said | StreamEnd>;

export const RunInput = about(
  'What a command gets.',
  v.object({
    data: about('Input in base64.', v.exactOptional(text)),
    end: about('Whether that was all of its input.', v.exactOptional(v.boolean())),
    signal: about(
      'For all its processes.',
      v.exactOptional(v.picklist(['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT', 'SIGKILL'])),
    ),
    terminal: about('The new size of its terminal.', v.exactOptional(Terminal)),
  }),
) satisfies v.GenericSchema<core.RunInput>;
