import { lastError } from '../../functions/core/output/diagnosis.ts';
import { withoutValues } from '../../functions/core/output/without-values.ts';
import { messageOf } from '../platform/http-error.ts';
import type { Log, PlatformEvent } from '../platform/settings.ts';
import type { AppEventStore } from '../platform/store/events.ts';
import type { Folders } from '../platform/store/folders.ts';
import type { AppName } from '../platform/store/names.ts';
import type { VariableStore } from '../platform/store/variables.ts';
import type { AppLog } from './app-log.ts';

interface RecorderParts {
  readonly events: AppEventStore;
  readonly log: Log;
  readonly folders: Folders;
  readonly variables: VariableStore;
  readonly logOf: (app: AppName) => Pick<AppLog, 'printed'>;
}

/** The last lines of a crashed application that its event has. */
const EVENT_LINES = 40;
/** `app.recovered`: no process beside `web` has crashed any more. */
const RECORDED = ['app.crashed', 'app.serving', 'app.recovered'];

/**
 * Returns a log that also stores what the deploy service has to know: that an application has crashed too often, and
 * that it answers again. When that is stored, `app.state` is logged.
 */
export function recordingLog({ events, log, folders, variables, logOf }: RecorderParts): Log {
  let recorded = Promise.resolve();
  const record = async (event: PlatformEvent): Promise<void> => {
    const { type, user, app, snapshot, process, detail = '', isCause } = event;
    if (user === undefined || app === undefined || snapshot === undefined) return;
    const crashed = type === 'app.crashed';
    const state = crashed ? 'crashed' : 'running';
    const printed = crashed ? await logOf({ user, app }).printed(EVENT_LINES, process) : [];
    const lines = [...withoutValues(printed, await variables.read({ user, app }))];
    const error = isCause ? undefined : lastError(lines, folders.ofApp({ user, app }).snapshot(snapshot).release);
    const why = error ?? detail;
    const reason = crashed ? reasonOf(process, why) : null;
    const isNew = await events.add({ user, app, snapshot, state, reason, log: lines });
    if (isNew) log({ type: 'app.state', user, app, snapshot, detail: state });
  };
  return (event) => {
    log(event);
    if (!RECORDED.includes(event.type)) return;
    // One after the other, in the order in which they happened.
    recorded = recorded
      .then(() => record(event))
      .catch((error: unknown) => log({ type: 'platform.error', detail: messageOf(error) }));
  };
}

function reasonOf(process: string | undefined, why: string): string {
  const what = process === undefined ? 'The application' : `The process ${process}`;
  return `${what} crashed too often and is not started again${why && `: ${why.replace(/\.$/, '')}`}.`;
}
