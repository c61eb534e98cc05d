import type { HttpRequest, StreamAnswer } from '../api/http.ts';
import { type LogsPorts, logs } from './logs.ts';
import { type RunPorts, runOutput } from './run.ts';

/** Returns the endpoints that stream what processes of an application print. */
export function printed(ports: LogsPorts & RunPorts): (request: HttpRequest) => Promise<StreamAnswer> {
  const [ofApp, ofRun] = [logs(ports), runOutput(ports)];
  return (request) => (request.params.run === undefined ? ofApp(request) : ofRun(request));
}
