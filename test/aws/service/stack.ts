import { join } from 'node:path';
import type { ReservedPort } from '../../../lib/http/ports.ts';
import type { AccessRecord } from '../../aws-local/gateway/gateway.ts';
import type { FunctionLogLine } from '../../aws-local/invoke/log-lines.ts';
import { type Runtime, startRuntime } from '../../aws-local/runtime.ts';
import type { Strictness } from '../../aws-local/strict/strict.ts';

/** Where the applications of a stack run; `http`: on a platform that runs elsewhere. */
export const PLATFORMS = ['embedded', 'http', 'aws-lambda'] as const;
export type PlatformName = (typeof PLATFORMS)[number];

/** A platform that runs elsewhere, such as `npm run platform` on another machine. */
export interface RemotePlatform {
  readonly url: string;
  /** The token with which it lets the service act for its users. */
  readonly token: string;
}

/** The options of the stack that a caller of the whole service sets. */
export interface StackOptions extends Strictness {
  /** Folder of everything that is kept. */
  readonly dataDir: string;
  /** Port of the API; 0 for any free one. */
  readonly port: number;
  /** Where applications run; on the embedded platform by default. */
  readonly platform?: PlatformName;
  /** The platform of `http`. */
  readonly remote?: RemotePlatform;
  /** Values of the template's parameters that win over those of one machine. */
  readonly parameters?: Readonly<Record<string, string>>;
  /** Values of the template's conditions in another region. */
  readonly conditions?: Readonly<Record<string, boolean>>;
  /** Secrets that webhooks are signed with. */
  readonly hookSecrets?: object;
  /** Called with what is being done, in a few words. */
  readonly step?: (what: string) => void;
  readonly log?: (line: FunctionLogLine) => void;
  readonly warn?: (sentence: string) => void;
  readonly onRequest?: (record: AccessRecord) => void;
}

/** What the stack is connected with. */
export interface StackSurroundings {
  readonly cloudAssembly: string;
  /** Of the programs beside the stack. */
  readonly ports: Readonly<Record<'platform' | 'repositories', ReservedPort>>;
}

/** Starts the stack on emulators; it takes no requests and no events until it is opened. */
export async function startStack(options: StackOptions, { cloudAssembly, ports }: StackSurroundings): Promise<Runtime> {
  const { dataDir, platform, remote, parameters, hookSecrets = {}, log = () => {}, warn = () => {} } = options;
  const at = ({ port }: ReservedPort) => `http://127.0.0.1:${port}`;
  const repositories = at(ports.repositories);
  const hosts = [
    { name: 'local', kind: 'github', api: repositories, web: repositories },
    { name: 'github', kind: 'github', api: 'https://api.github.com', web: 'https://github.com' },
  ];
  return startRuntime({
    ...options,
    cloudAssembly,
    dataDir: join(dataDir, 'aws'),
    parameters: {
      Platform: platform === 'aws-lambda' ? platform : 'http',
      PlatformUrl: remote?.url ?? at(ports.platform),
      RepositoryHosts: JSON.stringify(hosts),
      // Short enough to watch.
      RetryBaseSeconds: '5',
      StageConcurrency: '10',
      // Here a stream holds no machine of its own.
      StreamsPerUser: '1000',
      StreamsInAll: '5000',
      ...parameters,
    },
    secrets: {
      StoresHookSecrets: JSON.stringify(hookSecrets),
      ...(remote && { StoresPlatformToken: remote.token }),
    },
    log,
    warn,
  });
}
