import { dispatch } from '../api/dispatch.ts';
import type { HttpRequest, StreamAnswer } from '../api/http.ts';
import { before, flag, follow, grep, lines, process, wholeNumber } from '../api/parameters.ts';
import { appRef, required } from '../core/app-ref.ts';
import { badParameter, DeployError } from '../core/errors.ts';
import { type LeasePorts, leased } from '../core/limits/leased-stream.ts';
import { type StreamLogin, streamLogin } from '../core/login.ts';
import { outputAnswer } from '../core/output/write-lines.ts';
import type { AppOutput, AppRuns, OutputFound, OutputSearch } from '../core/ports/applications.ts';
import type { PrintedLine } from '../core/ports/processes.ts';
import type { Clock } from '../core/ports/system.ts';

/** The last line of a search. */
type SearchEnd = Omit<OutputFound, 'lines'>;

interface PrintedPorts extends LeasePorts {
  readonly output: AppOutput;
  readonly runs: Pick<AppRuns, 'read'>;
  readonly clock: Clock;
}

/** Returns the endpoints of what an application and its one-off commands print. */
export const printed = dispatch('api-app-logs', {
  'GET /1/apps/{user}/{application}/logs': logs,
  'GET /1/apps/{user}/{application}/runs/{run}': runOutput,
});

/**
 * `GET /1/apps/<user>/<application>/logs`: what the application has printed, a JSON object per line; with `follow` also
 * what it prints from then on, until the reader leaves or the service ends the stream with a closing line; with `grep` the
 * stored lines that have a text, newest first, and at last how far it has looked. Throws
 * `request:bad_parameter`, `status:db:not_found`, `request:failed` and, with too many streams open, `request:throttled`
 * before the first line.
 */
async function logs(request: HttpRequest, ports: PrintedPorts): Promise<StreamAnswer> {
  const follows = flag(request.query, follow);
  const { [process.name]: name } = request.query;
  const wanted = { lines: wholeNumber(request.query, lines), ...(name !== undefined && { process: name }) };
  const searched = grepIn(request.query);
  if (searched) return found(request, { ...wanted, ...searched }, ports);
  const query = { ...wanted, follow: follows };
  const read = async (signal: AbortSignal) =>
    required(await ports.output.read(appRef(request), query, signal), request);
  const answer = (login: StreamLogin) => outputAnswer(request, read, { login, follow: follows, endless: true }, ports);
  return follows ? leased(request, ports, answer) : answer(streamLogin(request, ports));
}

/** Returns what is searched for; undefined when all lines are wanted. Throws `request:bad_parameter`. */
function grepIn(query: HttpRequest['query']): Pick<OutputSearch, 'text' | 'before'> | undefined {
  const { [grep.name]: text, [before.name]: next } = query;
  if (text === undefined && next === undefined) return undefined;
  const most = grep.schema.maxLength;
  if (!text || text.length > most) throw badParameter(`The parameter grep must be a text of 1 to ${most} characters.`);
  if (query[lines.name] === '0') throw badParameter('The parameter lines must be 1 or more for a search.');
  if (flag(query, follow)) throw badParameter('The parameter grep searches what is stored: not with follow.');
  return { text, ...(next !== undefined && { before: next }) };
}

/** The lines that a search finds, newest first, then how far it has looked. */
async function found(request: HttpRequest, query: OutputSearch, ports: PrintedPorts): Promise<StreamAnswer> {
  const read = async (signal: AbortSignal) => {
    const { lines, ...end } = required(await ports.output.search(appRef(request), query, signal), request);
    return (async function* () {
      yield [...lines, end];
    })();
  };
  const login = streamLogin(request, ports);
  return outputAnswer<PrintedLine | SearchEnd>(request, read, { login, follow: false, endless: false }, ports);
}

/**
 * `GET /1/apps/<user>/<application>/runs/<run>`: what a one-off command says, a JSON object per line, until it has ended
 * or the service ends the stream with a closing line: then the next request reads on. Throws `status:db:not_found`,
 * `request:conflict` while another reads it, `request:failed`, and `request:throttled` with too many streams open.
 */
async function runOutput(request: HttpRequest, ports: PrintedPorts): Promise<StreamAnswer> {
  const read = async (signal: AbortSignal) => {
    const said = await ports.runs.read(appRef(request), request.params.run ?? '', signal);
    if (said) return said;
    throw new DeployError('status:db:not_found', 'No command with this id runs any more.');
  };
  return leased(request, ports, (login) => outputAnswer(request, read, { login, follow: true, endless: false }, ports));
}
