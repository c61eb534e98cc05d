import { join } from 'node:path';
import { type CommandGroup, OutputClosed, runProgram } from '../../lib/cli/program/program.ts';
import { newFolder } from './new-folder.ts';

/** The result of a run of the command line. */
export interface CliRun {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** Where the command line runs; by default on a machine without a service and without a login. */
export interface ProgramRun {
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly folder?: string;
  /** Whether standard output and standard error are terminals. */
  readonly terminal?: boolean;
  /** Standard input; with `answers` it is a terminal. */
  readonly stdin?: string;
  /** What is typed, question by question. */
  readonly answers?: readonly string[];
  /** Called with each piece of output; returns true to press Ctrl-C, `closed` to close the output. */
  readonly onOutput?: (soFar: string) => boolean | 'closed';
  /** Asks `onOutput` after that time even without output. */
  readonly interruptAfterMs?: number;
  readonly groups: readonly CommandGroup[];
  readonly version?: string;
}

/** Runs a program of these commands in this process. The arguments are separated by spaces. */
export async function runInProcess(args: string | readonly string[], options: ProgramRun): Promise<CliRun> {
  const home = newFolder('hooks-home');
  const { groups, version = '1.2.3' } = options;
  const [ending, written] = [new AbortController(), { out: '', err: '' }];
  const end = (wanted: boolean | 'closed' | undefined) => {
    if (wanted) ending.abort(wanted === 'closed' ? new OutputClosed() : undefined);
  };
  const output = (name: 'out' | 'err') => ({
    isTTY: options.terminal === true,
    columns: 110,
    write: (text: string | Uint8Array) => {
      written[name] += Buffer.from(text).toString();
      if (name === 'out') end(options.onOutput?.(written.out));
    },
  });
  const stderr = output('err');
  const { interruptAfterMs } = options;
  const timer =
    interruptAfterMs === undefined ? undefined : setTimeout(() => end(options.onOutput?.('')), interruptAfterMs);
  try {
    const code = await runProgram(
      typeof args === 'string' ? args.split(' ').filter(Boolean) : args,
      {
        env: { HOME: home, DATA_DIR: join(home, 'no-service'), ...options.env },
        folder: options.folder ?? home,
        stdin: input(options, stderr),
        stdout: output('out'),
        stderr,
        signal: ending.signal,
      },
      { groups, version },
    );
    return { code, ...written };
  } finally {
    clearTimeout(timer);
  }
}

function input({ stdin = '', answers }: ProgramRun, stderr: { readonly write: (text: string) => void }) {
  const left = [...(answers ?? [])];
  return {
    isTTY: answers !== undefined,
    read: async () => stdin,
    chunks: async function* () {
      yield Buffer.from(stdin);
    },
    ask: async (question: string, { hidden = false } = {}) => {
      const answer = left.shift();
      if (answer === undefined) throw new Error(`Nothing is typed at "${question}".`);
      stderr.write(`${question}${hidden ? '' : answer}\n`);
      return answer;
    },
  };
}
