import * as v from 'valibot';
import type { Call } from '../command.ts';
import type { Api, ApiRequest } from '../service/api.ts';
import { oneLine, painter } from '../text.ts';

const Line = v.looseObject({ at: v.string(), stream: v.string(), line: v.string() });
type Line = v.InferOutput<typeof Line>;

/** Which output to print, and how. */
export interface OutputRequest {
  readonly request: ApiRequest;
  readonly follow: boolean;
  /** Lines to ask for when the stream is taken up again; absent for an output that is always sent from its beginning. */
  readonly resumeLines?: number;
}

/**
 * Prints the lines of an output as they come. With `follow` it takes the stream up again when the service ends it, without
 * repeating a line, until `signal` aborts or the output has ended.
 */
export async function printOutput(
  call: Call,
  client: Api,
  { request, follow, resumeLines }: OutputRequest,
): Promise<void> {
  const print = printer(call);
  const seen = new Seen();
  let current = request;
  for (;;) {
    let timedOut = false;
    try {
      for await (const text of client.lines(current)) {
        const line = read(text);
        if (line === 'timeout') timedOut = true;
        else if (line && seen.isNew(line)) print(line, text);
      }
    } catch (error) {
      if (call.signal.aborted && follow) return;
      throw error;
    }
    if (!timedOut) return;
    seen.again();
    current = { ...request, query: { ...request.query, lines: resumeLines } };
  }
}

/** Null for a heartbeat. */
function read(text: string): Line | 'timeout' | null {
  if (text.trim() === '') return null;
  const value: unknown = JSON.parse(text);
  if (v.is(Line, value)) return value;
  return v.is(v.looseObject({ code: v.string() }), value) ? 'timeout' : null;
}

/** The lines that were printed, by the time of the last one: several lines may have the same. */
class Seen {
  #at = '';
  #count = 0;
  #toSkip = 0;

  isNew({ at }: Line): boolean {
    if (at < this.#at) return false;
    if (at === this.#at && this.#toSkip > 0) {
      this.#toSkip -= 1;
      return false;
    }
    this.#count = at === this.#at ? this.#count + 1 : 1;
    this.#at = at;
    return true;
  }

  /** The stream begins again, with lines that were printed. */
  again(): void {
    this.#toSkip = this.#count;
  }
}

function printer(call: Call): (line: Line, sent: string) => void {
  const { args, print } = call;
  const paint = painter(call);
  if (args.flag('json')) return (_, sent) => print(sent);
  const time = args.flag('timestamps') ? ({ at }: Line) => `${paint('dim', at)} ` : () => '';
  return (line) => {
    const text = oneLine(line.line);
    print(`${time(line)}${line.stream === 'platform' ? paint('dim', `-- ${text}`) : text}`);
  };
}
