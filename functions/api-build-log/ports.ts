import type { BuildOutput } from '../core/ports/apps/build-output.ts';
import type { Clock } from '../core/ports/clock.ts';
import type { LogReader } from '../core/ports/log-reader.ts';
import type { Trace } from '../core/ports/trace.ts';

/** The ports and settings of streaming the output of a build. */
export interface BuildLogPorts {
  readonly log: Pick<LogReader, 'read'>;
  readonly output: BuildOutput;
  readonly clock: Clock;
  /** Seconds after which the service ends a stream. */
  readonly seconds: number;
  readonly trace: Trace;
}
