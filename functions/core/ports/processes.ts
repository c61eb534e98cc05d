import * as v from 'valibot';
import { about, count, integer, type Sent, text, textOrNull, time } from '../schema.ts';

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
);

export const CronJob = about(
  'A command that runs at the times of a schedule.',
  v.object({
    name: about('The name that its lines of the output have: `@cron.1`.', text),
    schedule: about('Minute, hour, day, month, weekday; or six fields, with seconds before them.', text),
    timezone: v.exactOptional(about('Of the schedule; absent for UTC.', text)),
    command: text,
    running: about('When the run that is going began; null when none is.', v.nullable(time)),
    last: about(
      'The last run that has ended since the service was started: when it began, and its exit code as a shell gives it.',
      v.nullable(v.object({ at: time, seconds: v.number(), exit: v.number() })),
    ),
    next: about('When it runs next; null while the application does not run.', v.nullable(time)),
  }),
);

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
);

const milliseconds = v.nullable(count);

export const UsedHour = about(
  'An hour of an application.',
  v.object({
    at: about('When it began.', time),
    requests: about('How many requests were answered. WebSockets are not counted.', count),
    errors: about('Those of them that were answered with 500 and more.', count),
    memory: about('The most memory that was measured in it, in bytes; null when none was.', v.nullable(count)),
    p50: about('The milliseconds in which half of the answers had ended; null when there was none.', milliseconds),
    p99: about('The milliseconds in which 99 of 100 answers had ended.', milliseconds),
  }),
);

const scale = v.record(text, v.union([count, v.literal('auto')]));

export const ProcessList = about(
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
    week: v.exactOptional(
      about('The hours of the last seven days in which there was something to count, likewise.', v.array(UsedHour)),
    ),
  }),
);

export const Scale = about(
  'How many processes are to run, by type; those of other types stay as they are. `web` may be `auto`: it ends after ten minutes without a request, and the next request starts it.',
  scale,
);

export const PrintedLine = about(
  'What was printed.',
  v.object({
    at: time,
    stream: v.picklist(['stdout', 'stderr', 'platform']),
    process: about('Which process has printed it: `worker.1`. Absent for `web`.', v.exactOptional(text)),
    line: text,
  }),
);

const words = v.pipe(v.array(v.pipe(text, v.regex(/^[^\0]*$/))), v.minLength(1), v.maxLength(1000));

export const RunStart = about(
  'A command for the release that is live.',
  v.object({
    command: about('The program and its arguments; a single text is a line for the shell.', words),
  }),
);

export const RunStarted = about(
  'A command that runs. It is ended when its output is not read for ten seconds.',
  v.object({
    id: about('Of its output and its input.', text),
  }),
);

/** A piece of the output of a one-off command. */
export const RunPiece = v.object({
  stream: v.picklist(['stdout', 'stderr']),
  data: about('A piece of the output in base64.', text),
});

/** How a one-off command has ended: the last that it says. */
export const RunExit = v.object({
  exit: about('The exit code; 128 and its number for a signal.', integer),
  reason: about('The limit that it exceeded, as the end of a sentence.', textOrNull),
});

export const RunInput = about(
  'What a command gets.',
  v.object({
    data: about('Input in base64.', v.exactOptional(text)),
    end: about('Whether that was all of its input.', v.exactOptional(v.boolean())),
    signal: about(
      'For all its processes.',
      v.exactOptional(v.picklist(['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT', 'SIGKILL'])),
    ),
  }),
);

export type Process = Sent<typeof Process>;
export type CronJob = Sent<typeof CronJob>;
export type UsedHour = Sent<typeof UsedHour>;
export type UsedMinute = Sent<typeof UsedMinute>;
export type ProcessList = Sent<typeof ProcessList>;
export type Scale = Sent<typeof Scale>;
export type PrintedLine = Sent<typeof PrintedLine>;
export type RunStart = Sent<typeof RunStart>;
export type RunStarted = Sent<typeof RunStarted>;
export type RunInput = Sent<typeof RunInput>;
export type Said = Sent<typeof RunPiece | typeof RunExit>;
