import type { AppFacts } from '../core/ports/app-facts.ts';
import type { Applications } from '../core/ports/applications.ts';
import type { LogReader } from '../core/ports/log-reader.ts';

/** The ports of the endpoints of applications. */
export interface AppsPorts {
  readonly applications: Applications;
  readonly facts: AppFacts;
  readonly log: Pick<LogReader, 'read'>;
}
