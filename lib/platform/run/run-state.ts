import type { AppName } from '../store/names.ts';

/**
 * The state of an application; `restarting` is the pause after a crash, `crashed` the end of such pauses; one that is
 * `asleep` is started by the next request.
 */
export type RunState = 'stopped' | 'starting' | 'running' | 'asleep' | 'restarting' | 'crashed';

const WHY: Readonly<Record<RunState, string>> = {
  stopped: 'is stopped',
  starting: 'is starting',
  running: 'has no web process',
  asleep: 'is asleep',
  restarting: 'has crashed and is being started again',
  crashed: 'has crashed too often; see its log',
};

/** The sentence that clients get while no `web` process of an application serves. */
export function unavailable(app: AppName, state: RunState): string {
  return `${app.app} ${WHY[state]}.`;
}
