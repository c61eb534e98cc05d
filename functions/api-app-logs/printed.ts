import type { HttpRequest, StreamAnswer } from '../api/http.ts';
import { appRef } from '../core/app-ref.ts';
import { DeployError } from '../core/errors.ts';
import { type LeasePorts, leased, streamEnd } from '../core/limits/leased-stream.ts';
import { OUTPUT_HEADERS, writeLines } from '../core/output/write-lines.ts';
import type { AppRuns } from '../core/ports/applications.ts';
import type { Clock } from '../core/ports/system.ts';
import { type LogsPorts, logs } from './logs.ts';

/** Returns the endpoints that stream what processes of an application print. */
export function printed(ports: LogsPorts & RunPorts): (request: HttpRequest) => Promise<StreamAnswer> {
  const [ofApp, ofRun] = [logs(ports), runOutput(ports)];
  return (request) => (request.params.run === undefined ? ofApp(request) : ofRun(request));
}

interface RunPorts extends LeasePorts {
  readonly runs: Pick<AppRuns, 'read'>;
  readonly clock: Clock;
}

/**
 * `GET /1/apps/<user>/<application>/runs/<run>`: what a one-off command says, a JSON object per line, until it has ended
 * or the service ends the stream with a closing line: then the next request reads on. Throws `status:db:not_found`,
 * `request:conflict` while another reads it, `request:failed`, and `request:throttled` with too many streams open.
 */
function runOutput(ports: RunPorts): (request: HttpRequest) => Promise<StreamAnswer> {
  const open = async (request: HttpRequest): Promise<StreamAnswer> => {
    const endsAt = streamEnd(ports);
    const stop = new AbortController();
    // Within the second, not within a heartbeat: the command ends when its reader has gone.
    request.gone?.addEventListener('abort', () => stop.abort(), { once: true });
    const said = await ports.runs.read(appRef(request), request.params.run ?? '', stop.signal);
    if (!said) throw new DeployError('status:db:not_found', 'There is no such command any more.');
    const options = { follow: true, endless: false, endsAt, stop, uuid: request.uuid };
    return { status: 200, headers: OUTPUT_HEADERS, body: writeLines(said, options, ports) };
  };
  return (request) => leased(request, ports, () => open(request));
}
