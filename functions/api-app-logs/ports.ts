import type { LeasePorts } from '../core/limits/leased-stream.ts';
import type { AppOutput } from '../core/ports/apps/app-output.ts';
import type { Clock } from '../core/ports/clock.ts';

/** The ports and settings of streaming the output of an application. */
export interface LogsPorts extends LeasePorts {
  readonly output: AppOutput;
  readonly clock: Clock;
}
