import * as v from 'valibot';
import type * as core from '../../core/ports/processes.ts';
import { about, count, type Received, type Sent, text, time } from './parts.ts';

export const Process = about(
  'A process of an application.',
  v.object({
    name: about('Its type and a number: `worker.1`.', text),
    type: about('The name of its line in the Procfile; `web` gets the traffic.', text),
    command: text,
    state: about(
      '`restarting`: the pause after it has ended unexpectedly. `crashed`: it did so too often, and is tried again every minute. `asleep`: the next request starts it.',
      v.picklist(['starting', 'running', 'asleep', 'restarting', 'crashed', 'stopped']),
    ),
    since: about('When it came into this state; null when that is not known.', v.nullable(time)),
    restarts: about('How often it was started again after it had ended unexpectedly.', count),
    memory: about('The resident memory of all its processes in bytes; null when none runs.', v.nullable(count)),
  }),
) satisfies v.GenericSchema<core.Process>;

export const CronJob = about(
  'A command that runs at the times of a schedule.',
  v.object({
    name: about('The name that its lines of the output have: `@cron.1`.', text),
    schedule: about('In UTC: minute, hour, day, month, weekday; or six fields, with seconds before them.', text),
    command: text,
    running: about('When the run that is going began; null when none is.', v.nullable(time)),
    last: about(
      'The last run that has ended since the service was started: when it began, and its exit code as a shell gives it.',
      v.nullable(v.object({ at: time, seconds: v.number(), exit: v.number() })),
    ),
    next: about('When it runs next; null while the application does not run.', v.nullable(time)),
  }),
) satisfies v.GenericSchema<core.CronJob>;

export const UsedMinute = about(
  'A minute of an application.',
  v.object({
    at: about('When it began.', time),
    requests: about(
      'How many requests were answered, by the class of the status: `{"2xx": 12, "5xx": 1}`. One whose client left before is `4xx`. WebSockets are not counted.',
      v.record(text, count),
    ),
    memory: about('The most memory that was measured in it, in bytes; null when none was.', v.nullable(count)),
  }),
) satisfies v.GenericSchema<core.UsedMinute>;

const scale = v.record(text, v.union([count, v.literal('auto')]));

export const Processes = about(
  'What runs of an application.',
  v.object({
    processes: v.array(Process),
    cron: about('What `cron` of its app.json runs.', v.array(CronJob)),
    scale: about('How many are to run, by type.', scale),
    usage: v.exactOptional(
      about(
        'The minutes of the last hour in which there was something to count, oldest first; absent where nothing is counted.',
        v.array(UsedMinute),
      ),
    ),
  }),
) satisfies v.GenericSchema<core.ProcessList>;

export const Scale = about(
  'How many processes are to run, by type; those of other types stay as they are. `web` is 0, 1 or `auto`: it ends after ten minutes without a request, and the next request starts it.',
  scale,
);

export type Process = Sent<typeof Process>;
export type UsedMinute = Sent<typeof UsedMinute>;
export type ReceivedProcesses = Received<typeof Processes>;
