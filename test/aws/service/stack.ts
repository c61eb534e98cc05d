import { join } from 'node:path';
import type { ReservedPort } from '../../../lib/http/ports.ts';
import type { AccessRecord } from '../../aws-local/gateway/gateway.ts';
import type { FunctionLogLine } from '../../aws-local/invoke/log-lines.ts';
import { type Runtime, startRuntime } from '../../aws-local/runtime.ts';
import type { Strictness } from '../../aws-local/strict/strict.ts';

/** The options of the stack that a caller of the whole service sets. */
export interface StackOptions extends Strictness {
  /** Folder of everything that is kept. */
  readonly dataDir: string;
  /** Port of the API; 0 for any free one. */
  readonly port: number;
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
  /** Where the API of the repository host will be. */
  readonly repositoriesPort: ReservedPort;
}

/** Starts the stack on emulators; it takes no requests and no events until it is opened. */
export async function startStack(
  options: StackOptions,
  { cloudAssembly, repositoriesPort }: StackSurroundings,
): Promise<Runtime> {
  const { dataDir, parameters, hookSecrets = {}, log = () => {}, warn = () => {} } = options;
  const repositories = `http://127.0.0.1:${repositoriesPort.port}`;
  const hosts = [
    { name: 'local', kind: 'github', api: repositories, web: repositories },
    { name: 'github', kind: 'github', api: 'https://api.github.com', web: 'https://github.com' },
  ];
  return startRuntime({
    ...options,
    cloudAssembly,
    dataDir: join(dataDir, 'aws'),
    parameters: {
      RepositoryHosts: JSON.stringify(hosts),
      // Short enough to watch.
      RetryBaseSeconds: '5',
      StageConcurrency: '10',
      // Here a stream holds no machine of its own.
      StreamsPerUser: '1000',
      StreamsInAll: '5000',
      ...parameters,
    },
    secrets: { StoresHookSecrets: JSON.stringify(hookSecrets) },
    log,
    warn,
  });
}
