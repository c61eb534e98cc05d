import type { HttpRequest, StreamAnswer } from '../api/http.ts';
import { flag, follow } from '../api/parameters.ts';
import { type Entry, isFinal } from '../core/entry/entry.ts';
import { findEntry } from '../core/entry/find.ts';
import { lineMasker } from '../core/entry/mask.ts';
import { snapshotOf } from '../core/entry/snapshot.ts';
import { DeployError } from '../core/errors.ts';
import { type LeasePorts, leased } from '../core/limits/leased-stream.ts';
import { type StreamLogin, streamLogin } from '../core/login.ts';
import { outputAnswer } from '../core/output/write-lines.ts';
import { isAfter } from '../core/pipeline/pipeline.ts';
import type { LogReader } from '../core/ports/log.ts';
import type { BuildOutput } from '../core/ports/platform.ts';
import type { PrintedLine } from '../core/ports/processes.ts';
import type { Clock } from '../core/ports/system.ts';

interface BuildLogPorts extends LeasePorts {
  readonly log: Pick<LogReader, 'read'>;
  readonly output: BuildOutput;
  readonly clock: Clock;
}

/** The pause before the platform is asked again for a build that has not begun. */
const PAUSE_MS = 500;

/**
 * `GET /1/status/<user>/changes/<id>/build-log`: what the build of an entry's snapshot printed, a JSON object per line,
 * with secrets masked; with `follow` also what it prints until it ends. Throws `request:bad_parameter`,
 * `status:db:not_found` when there is no such build, `request:failed`, and with too many streams open
 * `request:throttled` before the first line.
 */
export function buildLog(ports: BuildLogPorts): (request: HttpRequest) => Promise<StreamAnswer> {
  const open = async (request: HttpRequest, follow: boolean, login: StreamLogin): Promise<StreamAnswer> => {
    const entry = await findEntry(ports.log, request.user, request.params.id ?? '');
    const linesOf = async (signal: AbortSignal) => {
      if (follow && mayCome(entry)) return coming(entry, signal, ports);
      const lines = await read(entry, { follow, signal }, ports);
      if (lines) return lines;
      throw new DeployError('status:db:not_found', NOTHING_KEPT);
    };
    const mask = lineMasker();
    const shown = (printed: PrintedLine) => ({ ...printed, line: mask(printed.line) });
    return outputAnswer(request, linesOf, { login, follow, endless: false, shown }, ports);
  };
  return async (request) => {
    if (!flag(request.query, follow)) return open(request, false, streamLogin(request, ports));
    return leased(request, ports, (login) => open(request, true, login));
  };
}

const NOTHING_KEPT =
  'There is no build log of this entry: it built nothing, or the platform no longer keeps what it printed.';

interface Reading {
  readonly follow: boolean;
  readonly signal: AbortSignal;
}

async function read(entry: Entry, { follow, signal }: Reading, { output }: BuildLogPorts) {
  return entry.appName && entry.snapshot ? output.read(snapshotOf(entry), follow, signal) : null;
}

/** Yields the lines of a build that may not have begun yet; none when its deploy ends before. */
async function* coming(
  { user, number }: Entry,
  signal: AbortSignal,
  ports: BuildLogPorts,
): AsyncGenerator<readonly PrintedLine[]> {
  let hasBegun = false;
  while (!signal.aborted && !hasBegun) {
    const entry = await ports.log.read(user, number);
    const lines = entry && (await read(entry, { follow: true, signal }, ports));
    for await (const batch of lines ?? []) {
      hasBegun = true;
      yield batch;
    }
    if (hasBegun || !entry || !mayCome(entry)) return;
    await ports.clock.sleep(PAUSE_MS, signal);
  }
}

/** Whether the build of an entry has not begun or not ended. */
function mayCome({ status, stage }: Entry): boolean {
  return !isFinal(status) && status !== 'held' && !isAfter(stage, 'extract');
}
