import type { AppOutput } from '../core/ports/apps/app-output.ts';
import type { Clock } from '../core/ports/clock.ts';
import type { Trace } from '../core/ports/trace.ts';

/** The ports and settings of streaming the output of an application. */
export interface LogsPorts {
  readonly output: AppOutput;
  readonly clock: Clock;
  /** Seconds after which the service ends a stream. */
  readonly seconds: number;
  readonly trace: Trace;
}
