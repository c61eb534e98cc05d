import type { AppId } from '../../runner/calls.ts';
import type { Builder } from '../build/builder.ts';
import type { DesiredState } from '../desired/desired-state.ts';
import type { Log, PublicService } from '../settings.ts';
import type { Apps } from '../store/apps.ts';
import type { Domains } from '../store/domains.ts';
import type { AppEventStore } from '../store/events.ts';
import type { Folders } from '../store/folders.ts';
import type { ServedUsers } from '../store/served-users.ts';
import type { Snapshots } from '../store/snapshots.ts';
import type { VariableStore } from '../store/variables.ts';
import type { AppView } from './app-view.ts';
import type { Lookup } from './domain-check.ts';
import type { Removals } from './removals.ts';

/** Shared by the ports. */
export interface PortParts {
  readonly users: Pick<ServedUsers, 'check'>;
  readonly apps: Apps;
  readonly folders: Folders;
  readonly snapshots: Snapshots;
  readonly variables: VariableStore;
  readonly domains: Domains;
  readonly events: AppEventStore;
  /** Called when an event was stored. */
  readonly onEvent: () => void;
  readonly builder: Builder;
  readonly desired: DesiredState;
  readonly view: AppView;
  readonly removals: Removals;
  /** Aborted when the platform closes: from then on every call is refused, so that none begins a build. */
  readonly closing: AbortSignal;
  /** The service in front; absent: domains of applications have no address. */
  readonly service: PublicService | undefined;
  /** Host names of the service itself. */
  readonly ownNames: readonly string[];
  /** The domains below which the platform gives names to applications. */
  readonly givenDomains: readonly string[];
  readonly lookup: Lookup;
  readonly tarballBytes: number;
  /** See `HostingPlatform.prune`. */
  readonly prune: (app: AppId) => void;
  readonly log: Log;
}
