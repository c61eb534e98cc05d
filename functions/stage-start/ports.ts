import type { HoldPorts } from '../core/hold/hold.ts';
import type { AppOperations } from '../core/ports/apps/app-operations.ts';
import type { DeployFacts } from '../core/ports/deploy-facts.ts';
import type { HostingPlatform } from '../core/ports/hosting-platform.ts';

/** The ports of the stage `start`. */
export interface StartPorts extends HoldPorts {
  readonly platform: Pick<HostingPlatform, 'start'>;
  readonly operations: AppOperations;
  readonly facts: Pick<DeployFacts, 'claimApp' | 'freeApp' | 'commitState'>;
}
