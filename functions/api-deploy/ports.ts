import type { RepositoryRef } from '../core/payload/delivery.ts';
import type { DeployFacts } from '../core/ports/facts.ts';
import type { StreamLeases } from '../core/ports/limits.ts';
import type { DeployLog } from '../core/ports/log.ts';
import type { RefusedCalls } from '../core/ports/refused-calls.ts';
import type { HookCall, Sender } from '../core/ports/sender.ts';
import type { JobQueue } from '../core/ports/stages.ts';
import type { Clock, Trace } from '../core/ports/system.ts';
import type { SignaturePorts } from './signature.ts';

/** What stores a delivery, whoever has brought it. */
export interface DeliveryPorts {
  readonly log: DeployLog;
  readonly facts: DeployFacts;
  readonly queue: JobQueue;
  readonly clock: Clock;
  /** Returns the configured name of a repository host by its kind and its host name; null when it is not configured. */
  readonly hostName: (kind: string, hostname: string | null) => string | null;
  /** The configured names of all repository hosts. */
  readonly hostNames: readonly string[];
  readonly trace: Trace;
}

interface OwnRepositories {
  /** The configured name of the host. */
  readonly name: string;
  /** Returns the default branch of a repository; null for one that the user does not see there, or without commits. */
  readonly defaultBranch: (user: string, repository: Pick<RepositoryRef, 'owner' | 'name'>) => Promise<string | null>;
}

export interface AcceptPorts extends DeliveryPorts, SignaturePorts {
  /** Returns the sender of a call. Throws `deploy:provider:not_supported`. */
  readonly recognise: (call: HookCall) => Sender;
  /** The repository host in this process, on one machine. */
  readonly ownHost?: OwnRepositories | undefined;
  readonly defaultBranch: string;
}

/** The webhook, with what remembers the calls that it refuses, and the slots of those that wait. */
export interface DeployPorts extends AcceptPorts {
  readonly leases: StreamLeases;
  readonly refused: Pick<RefusedCalls, 'note'>;
}
