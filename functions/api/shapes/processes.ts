import type { ProcessList } from '../../core/ports/processes.ts';
import type { Received } from '../../core/schema.ts';

// What a platform tells of processes and one-off commands is answered as it is, under these names.
export {
  CronJob,
  Process,
  ProcessList as Processes,
  RunInput,
  RunStart as Command,
  RunStarted as Run,
  Scale,
  UsedHour,
  UsedMinute,
} from '../../core/ports/processes.ts';

export type ReceivedProcesses = Received<typeof ProcessList>;
