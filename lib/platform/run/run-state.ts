import type { AppName } from '../store/names.ts';

/** The state of an application; `restarting` is the pause after a crash, `crashed` the end of such pauses. */
export type RunState = 'stopped' | 'starting' | 'running' | 'restarting' | 'crashed';

const WHY: Readonly<Record<RunState, string>> = {
  stopped: 'is stopped',
  starting: 'is starting',
  running: 'has no web process',
  restarting: 'has crashed and is being started again',
  crashed: 'has crashed too often; see its log',
};

/** The sentence that clients get while no `web` process of an application serves. */
export function unavailable(app: AppName, state: RunState): string {
  return `${app.app} ${WHY[state]}.`;
}
