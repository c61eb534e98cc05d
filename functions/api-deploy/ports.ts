import type { Clock } from '../core/ports/clock.ts';
import type { DeployFacts } from '../core/ports/deploy-facts.ts';
import type { DeployLog } from '../core/ports/deploy-log.ts';
import type { JobQueue } from '../core/ports/job-queue.ts';
import type { HookCall, Sender } from '../core/ports/sender.ts';
import type { Trace } from '../core/ports/trace.ts';
import type { SignaturePorts } from './signature.ts';

/** What accepting works with. */
export interface AcceptPorts extends SignaturePorts {
  readonly log: DeployLog;
  readonly facts: DeployFacts;
  readonly queue: JobQueue;
  readonly clock: Clock;
  /** The sender of a call. Throws `deploy:provider:not_supported`. */
  readonly recognise: (call: HookCall) => Sender;
  /** The configured name of a repository host, from its kind and the payload's host name; null when it is not allowed. */
  readonly hostName: (kind: string, hostname: string | null) => string | null;
  readonly defaultBranch: string;
  readonly trace: Trace;
}
