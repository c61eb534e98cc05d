import { appFiles, call, deploy, serverFile } from './harness.ts';

type At = { readonly url: string };
export const runs = '/apps/ada/hello/runs';

/** Deploys an application with a script that prints a variable and its argument. */
export const live = (at: At) =>
  deploy(at, 'hello', '1', {
    ...appFiles('hello', serverFile('up')),
    'seed.js': 'console.log(process.env.WORD, process.argv[2])',
  });

/** Starts a command. */
export const begin = (at: At, ...command: readonly string[]) => call(at, 'POST', runs, { command });

/** What a command has said, and how it has ended. */
export interface Ended {
  readonly out: string;
  readonly err: string;
  readonly exit: number | undefined;
  readonly reason: unknown;
}

/** Reads what a command says; `seen` gets its output so far, and ends the reading when it returns true. */
export async function read(at: At, id: unknown, seen: (out: string) => unknown = () => false): Promise<Ended> {
  const leave = new AbortController();
  const response = await fetch(`${at.url}${runs}/${id}`, { signal: leave.signal });
  if (!response.ok) throw new Error(`It cannot be read: ${response.status}.`);
  const said = { stdout: '', stderr: '' };
  let [text, exit, reason] = ['', undefined as number | undefined, undefined as unknown];
  try {
    for await (const chunk of response.body ?? []) {
      text += Buffer.from(chunk).toString();
      const lines = text.split('\n');
      text = lines.pop() ?? '';
      for (const line of lines) {
        const one = JSON.parse(line);
        if ('exit' in one) ({ exit, reason } = one);
        else said[one.stream as 'stdout' | 'stderr'] += Buffer.from(one.data, 'base64').toString();
      }
      if ((await seen(said.stdout)) === true) leave.abort();
    }
  } catch (error) {
    if (!leave.signal.aborted) throw error;
  }
  return { out: said.stdout, err: said.stderr, exit, reason };
}
