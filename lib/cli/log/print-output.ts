import { type ApiRequest, Problem } from '../../client/client.ts';
import { followOutput, type OutputLine, outputLines, Seen } from '../../client/output.ts';
import { painter } from '../../terminal/draw.ts';
import { printable, printableJson, printableLine } from '../../terminal/printable.ts';
import type { Call } from '../command.ts';
import { Failure } from '../errors.ts';
import type { Api } from '../service/api.ts';

interface PrintedOutput {
  readonly request: Pick<ApiRequest, 'path' | 'query'>;
  readonly follow: boolean;
  /** The number of last lines to begin with; absent for an output that is always sent from its beginning. */
  readonly lines?: number;
  /** Lines to ask for when the stream is taken up again. */
  readonly resumeLines?: number;
  /** Lines before this time, in milliseconds since 1970, are left out. */
  readonly since?: number;
}

/**
 * Prints the lines of an output as they arrive, and returns their number. With `follow` it reconnects when the service
 * ends the stream or the connection breaks, without repeating a line, until `signal` aborts or the output has ended.
 */
export async function printOutput(call: Call, api: Api, { follow, since, ...output }: PrintedOutput): Promise<number> {
  const { signal, warn } = call;
  const seen = new Seen();
  let hasBegun = false;
  const lines = async function* (asked: ApiRequest) {
    for await (const text of api.client.lines(asked)) {
      hasBegun = true;
      yield text;
    }
  };
  const onInterruption = (error: unknown) => {
    const isFull = error instanceof Problem && error.status === 429;
    if (!isFull && !hasBegun) throw error;
    warn(isFull ? `${api.explain(error).message} Waiting.` : 'The output is interrupted; trying again.');
  };
  const printed = printer(call);
  const print = (line: OutputLine) => {
    if (since === undefined || Date.parse(line.at) >= since) printed(line);
  };
  try {
    if (!follow) return await printOnce(api, output, print);
    for await (const line of followOutput({ lines }, { ...output, signal, seen, onInterruption })) print(line);
    return seen.total;
  } catch (error) {
    throw await api.explainCall(error, output.request.path);
  }
}

async function printOnce(
  { client }: Api,
  { request, lines }: Omit<PrintedOutput, 'follow' | 'since'>,
  print: (line: OutputLine) => void,
): Promise<number> {
  const output = outputLines(client.lines({ ...request, query: { ...request.query, lines } }));
  for (let printed = 0; ; printed += 1) {
    const { done, value } = await output.next();
    if (value === null) return printed;
    if (done) throw new Failure(`The service ended the output (${printable(value)}); try again.`);
    print(value);
  }
}

export function printer(call: Call): (line: OutputLine) => void {
  const { args, print } = call;
  const paint = painter(call.stdout, call.env);
  if (args.flag('json')) return (line) => print(printableJson(line));
  const time = args.flag('timestamps') ? ({ at }: OutputLine) => `${paint('dim', printable(at))} ` : () => '';
  return (line) => {
    const from = line.process === undefined ? '' : `${printable(line.process)}: `;
    const text = `${from}${printableLine(line.line)}`;
    print(`${time(line)}${line.stream === 'platform' ? paint('dim', `-- ${text}`) : text}`);
  };
}
