import type { LeasePorts } from '../core/limits/leased-stream.ts';
import type { BuildOutput } from '../core/ports/apps/build-output.ts';
import type { Clock } from '../core/ports/clock.ts';
import type { LogReader } from '../core/ports/log-reader.ts';

/** The ports and settings of streaming the output of a build. */
export interface BuildLogPorts extends LeasePorts {
  readonly log: Pick<LogReader, 'read'>;
  readonly output: BuildOutput;
  readonly clock: Clock;
}
