import { appFiles, deploy, hello, type PlatformUnderTest, serverFile } from './harness.ts';

/** Deploys an application with a script that prints a variable and its argument. */
export const live = (at: PlatformUnderTest) =>
  deploy(at, 'hello', '1', {
    ...appFiles('hello', serverFile('up')),
    'seed.js': 'console.log(process.env.WORD, process.argv[2])',
  });

/** Starts a command. */
export async function begin(at: PlatformUnderTest, ...command: readonly string[]) {
  const begun = await at.runs.start(hello, { command });
  if (!begun) throw new Error('There is no application.');
  return begun;
}

/** Whether the platform knows a command no more. */
export const isGone = async (at: PlatformUnderTest, id: string) => !(await at.runs.write(hello, id, { end: true }));

/** What a command has said, and how it has ended. */
export interface Ended {
  readonly out: string;
  readonly err: string;
  readonly exit: number | undefined;
  readonly reason: unknown;
}

/** Reads what a command says; `seen` gets its output so far, and ends the reading when it returns true. */
export async function read(
  at: PlatformUnderTest,
  id: string,
  seen: (out: string) => unknown = () => false,
): Promise<Ended> {
  const leave = new AbortController();
  const printed = await at.runs.read(hello, id, leave.signal);
  if (!printed) throw new Error('There is no such command.');
  const said = { stdout: '', stderr: '' };
  let [exit, reason] = [undefined as number | undefined, undefined as unknown];
  for await (const batch of printed) {
    for (const one of batch) {
      if ('exit' in one) ({ exit, reason } = one);
      else said[one.stream] += Buffer.from(one.data, 'base64').toString();
    }
    if ((await seen(said.stdout)) === true) leave.abort();
  }
  return { out: said.stdout, err: said.stderr, exit, reason };
}
