import { join } from 'node:path';
import type { ReservedPort } from '../../../lib/http/ports.ts';
import { proxiesOf } from '../../../lib/local/config/proxies.ts';
import { publicAddresses } from '../../../lib/local/config/public-addresses.ts';
import type { Config } from '../../../lib/local/config/schema.ts';
import { portOfSignals } from '../../../lib/local/front-door/destination.ts';
import { frontDoor } from '../../../lib/local/front-door/front-door.ts';
import type { AccessRecord } from '../../aws-local/gateway/gateway.ts';
import type { FunctionLogLine } from '../../aws-local/invoke/log-lines.ts';
import { type Runtime, startRuntime } from '../../aws-local/runtime.ts';
import type { Strictness } from '../../aws-local/strict/strict.ts';
import { programAddresses, stackParameters } from './parameters.ts';

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
  /** Called with what is being done, in a few words. */
  readonly step?: (what: string) => void;
  readonly log?: (line: FunctionLogLine) => void;
  readonly warn?: (sentence: string) => void;
  readonly onRequest?: (record: AccessRecord) => void;
}

/** The programs that the stack is connected with. */
export interface StackSurroundings {
  readonly cloudAssembly: string;
  readonly config: Config;
  readonly ports: Readonly<Record<'platform' | 'repositories', ReservedPort>>;
  /** Whether a host name is that of an application on the embedded platform; null without one. */
  readonly hasApp: ((host: string) => Promise<boolean>) | null;
  /** Whether it is a domain of one. */
  readonly isDomain: (host: string) => boolean;
}

/** Starts the stack on emulators; it takes no requests and no events until it is opened. */
export async function startStack(
  options: StackOptions,
  { cloudAssembly, config, ports, hasApp, isDomain }: StackSurroundings,
): Promise<Runtime> {
  const { dataDir, platform, remote, parameters, step, log = () => {}, warn = () => {} } = options;
  const runtime: Runtime = await startRuntime({
    ...options,
    ...(config.listen !== undefined && { host: config.listen }),
    ...proxiesOf(config),
    cloudAssembly,
    dataDir: join(dataDir, 'aws'),
    parameters: {
      ...stackParameters(config, programAddresses(ports)),
      ...(platform === 'aws-lambda' && { Platform: platform }),
      ...(remote && { PlatformUrl: remote.url }),
      ...parameters,
    },
    secrets: {
      StoresHookSecrets: JSON.stringify(config.hookSecrets ?? {}),
      ...(remote && { StoresPlatformToken: remote.token }),
    },
    otherHosts: frontDoor({
      addresses: publicAddresses(config),
      ports: () => ({
        platform: hasApp && ports.platform.port,
        repositories: ports.repositories.port,
        signals: portOfSignals(runtime.template.outputs),
      }),
      hasApp: hasApp ?? (async () => false),
      isDomain,
    }),
    log,
    warn,
    ...(step && { notice: step }),
  });
  return runtime;
}
