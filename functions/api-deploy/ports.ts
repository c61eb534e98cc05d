import type { Clock } from '../core/ports/clock.ts';
import type { DeployFacts } from '../core/ports/deploy-facts.ts';
import type { DeployLog } from '../core/ports/deploy-log.ts';
import type { JobQueue } from '../core/ports/job-queue.ts';
import type { HookCall, Sender } from '../core/ports/sender.ts';
import type { Trace } from '../core/ports/trace.ts';
import type { SignaturePorts } from './signature.ts';

/** The ports of the webhook endpoint. */
export interface AcceptPorts extends SignaturePorts {
  readonly log: DeployLog;
  readonly facts: DeployFacts;
  readonly queue: JobQueue;
  readonly clock: Clock;
  /** Returns the sender of a call. Throws `deploy:provider:not_supported`. */
  readonly recognise: (call: HookCall) => Sender;
  /** Returns the configured name of a repository host by its kind and its host name; null when it is not configured. */
  readonly hostName: (kind: string, hostname: string | null) => string | null;
  /** The configured names of all repository hosts. */
  readonly hostNames: readonly string[];
  readonly defaultBranch: string;
  readonly trace: Trace;
}
