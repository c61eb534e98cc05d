import type { HostConfig } from '../../functions/adapters/hosts/configuration.ts';
import type { SqliteStores } from '../../functions/adapters/stores/sqlite/open.ts';
import type { HookSecrets } from '../../functions/api-deploy/signature.ts';
import type { VerifyLogin } from '../../functions/core/ports/accounts.ts';
import type { PlatformPorts } from '../../functions/core/ports/applications.ts';
import type { Host, OwnHost } from '../../functions/core/ports/repository-host.ts';
import type { Clock } from '../../functions/core/ports/system.ts';
import type { DiskReserve } from '../files/disk-reserve.ts';
import type { EngineUsers } from './users.ts';

/** The settings of the service on one machine. On AWS they are the template's parameters. */
export interface EngineSettings {
  /** Folder of the key of stored tokens and the staged tarballs. */
  readonly dataDir: string;
  /** The engine ends their log when it is closed, and leaves them open. */
  readonly stores: SqliteStores;
  readonly users: EngineUsers;
  readonly platform: PlatformPorts;
  readonly repositoryHosts: readonly HostConfig[];
  /** The one of them that is in this process. `open` gets what verifies the logins that pair with it. */
  readonly ownHost?: OwnHost & { readonly open: (verify: VerifyLogin) => Host };
  readonly defaultBranch: string;
  readonly holdMinutes: number;
  /** Minutes between two comparisons of an application with its branch; 0: none is compared. */
  readonly reconcileMinutes: number;
  /** Days after which a preview that nobody has touched is removed, with the comparison. */
  readonly previewDays: number;
  /** Seconds between two looks at the open pull requests of a repository that has previews; 45 by default. */
  readonly watchSeconds?: number;
  readonly retryBaseSeconds: number;
  /** How long a stream of changes or output lives, and how many there may be. */
  readonly streams: { readonly seconds: number; readonly perUser: number; readonly inAll: number };
  readonly hookSecrets: HookSecrets;
  /** The address of the service for other machines; null: that which a request used. */
  readonly publicUrl: string | null;
  /** Returns the address of the WebSocket of signals, by that of the service. */
  readonly signalsUrl: (base: string) => string;
  /** The address of the service's own repository host for clients; empty when it has none. */
  readonly repositoriesUrl: string;
  /** What applications lack on this machine, in one sentence that clients show. */
  readonly notice?: string;
  /** Folder of the page's files. */
  readonly page: URL;
  readonly clock: Clock;
  /** Room for stops and removals on a full disk. */
  readonly reserve: Pick<DiskReserve, 'use'>;
  /** Receives what operators read: failures with their causes. */
  readonly log: (line: Readonly<Record<string, unknown>>) => void;
}
