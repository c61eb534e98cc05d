import { lastError } from '../../functions/core/output/diagnosis.ts';
import { withoutValues } from '../../functions/core/output/without-values.ts';
import type { AppId, Report, RunnerEvent } from './calls.ts';
import type { Runner } from './runner.ts';

/** The last lines of a crashed application that its event has. */
const EVENT_LINES = 40;
/** `app.returned`: the release before serves again. `app.failing`: a job of cron, or a limit. */
const CRASHES = ['app.crashed', 'app.returned', 'app.failing'];

/** After a restart. */
const BEFORE = 'what ran before serves again, with the variables that it had';

/** Returns what reports events in their order. That of a crash gets its reason, and what was printed before it. */
export function reporting(report: Report, runnerOf: (app: AppId) => Runner | undefined): Report {
  let reported = Promise.resolve();
  const complete = async (event: RunnerEvent): Promise<RunnerEvent> => {
    const runner = CRASHES.includes(event.type) ? runnerOf(event) : undefined;
    return runner ? { ...event, ...(await crashOf(event, runner).catch(() => undefined)) } : event;
  };
  return (event) => {
    reported = reported.then(async () => report(await complete(event)));
  };
}

async function crashOf(event: RunnerEvent, { log, spec }: Runner) {
  const { process, detail = '', isCause } = event;
  const lines = [...withoutValues(log.printed(EVENT_LINES, process), spec.now.variables)];
  const error = isCause ? undefined : lastError(lines, spec.folderOf(event.snapshot));
  return { reason: reasonOf(event, error ?? detail), lines };
}

function reasonOf({ process, snapshot, serves, about, detail = '' }: RunnerEvent, why: string): string {
  if (about !== undefined) return why === detail ? `${about} ${detail}.` : `${about} ${detail}: ${why}`;
  const because = why && `: ${why.replace(/\.$/, '')}`;
  if (serves !== undefined)
    return `The application ended soon after its start, and ${serves === snapshot ? BEFORE : 'the release before it serves again'}${because}.`;
  const what = process === undefined ? 'The application' : `The process ${process}`;
  return `${what} crashed too often and is tried again every minute${because}.`;
}
