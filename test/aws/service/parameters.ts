import type { ReservedPort } from '../../../lib/http/ports.ts';
import type { ReservedPorts } from '../../../lib/http/stable-ports.ts';
import { publicAddresses } from '../../../lib/local/config/public-addresses.ts';
import type { Config } from '../../../lib/local/config/schema.ts';

/** Addresses of the programs beside the stack. */
export interface ProgramAddresses {
  readonly platform: string;
  readonly repositories: string;
}

/** Returns the addresses of programs on these ports of this machine. */
export function programAddresses({ platform, repositories }: ReservedPorts<keyof ProgramAddresses>): ProgramAddresses {
  const at = ({ port }: ReservedPort) => `http://127.0.0.1:${port}`;
  return { platform: at(platform), repositories: at(repositories) };
}

/**
 * Returns the values of the template's parameters on this machine: the programs beside the stack, and the
 * configuration.
 */
export function stackParameters(config: Config, { platform, repositories }: ProgramAddresses): Record<string, string> {
  const hosts = [
    { name: 'local', kind: 'github', api: repositories, web: repositories },
    { name: 'github', kind: 'github', api: 'https://api.github.com', web: 'https://github.com' },
    ...(config.repositoryHosts ?? []),
  ];
  const { defaultBranch, holdMinutes, reconcileMinutes, previewDays, allowedOrigins } = config;
  const addresses = publicAddresses(config);
  return {
    Platform: 'http',
    PlatformUrl: platform,
    RepositoryHosts: JSON.stringify(hosts),
    // Short enough to watch.
    RetryBaseSeconds: '5',
    StageConcurrency: '10',
    // Here a stream holds no machine of its own.
    StreamsPerUser: '1000',
    StreamsInAll: '5000',
    ...(defaultBranch !== undefined && { DefaultBranch: defaultBranch }),
    ...(holdMinutes !== undefined && { HoldMinutes: String(holdMinutes) }),
    ...(previewDays !== undefined && { PreviewDays: String(previewDays) }),
    ...(reconcileMinutes !== undefined && { ReconcileMinutes: String(reconcileMinutes) }),
    ...(allowedOrigins && { AllowedOrigins: allowedOrigins.join(',') }),
    ...(addresses && { PublicUrl: addresses.service, PublicSignalsUrl: addresses.signals }),
  };
}
