import { systemClock } from '../../../functions/adapters/system/clock.ts';
import type { EngineSettings } from '../../engine/settings.ts';
import { publicAddresses } from './public-addresses.ts';
import type { Config } from './schema.ts';

/** The settings of the engine that the configuration has. */
type ConfiguredSettings = Omit<
  EngineSettings,
  'dataDir' | 'stores' | 'users' | 'platform' | 'signalsUrl' | 'page' | 'log' | 'reserve'
>;

/** Settings that win over those of the configuration. */
export type EngineOverrides = Partial<ConfiguredSettings> & {
  /** What is called in place of the platform. */
  readonly platform?: (platform: EngineSettings['platform']) => EngineSettings['platform'];
};

/** The name of the embedded repository host among the hosts. */
export const OWN_HOST = 'local';

/** Returns the settings of the configuration, with the defaults of one machine. */
export function settingsOf(config: Config, ports: { readonly repositories: number }): ConfiguredSettings {
  const local = `http://127.0.0.1:${ports.repositories}`;
  return {
    repositoryHosts: [
      // What calls about its repositories, such as those of CI, has the webhooks of GitHub.
      { name: OWN_HOST, kind: 'git', alsoKinds: ['github'], api: local, web: local },
      { name: 'github', kind: 'github', api: 'https://api.github.com', web: 'https://github.com' },
      ...(config.repositoryHosts ?? []),
    ],
    repositoriesUrl: publicAddresses(config)?.repositories ?? local,
    defaultBranch: config.defaultBranch ?? 'master',
    holdMinutes: config.holdMinutes ?? 60,
    reconcileMinutes: config.reconcileMinutes ?? 60,
    previewDays: config.previewDays ?? 14,
    // Short enough to watch.
    retryBaseSeconds: 5,
    // As long as on AWS, where a client has to connect again too. A stream holds a connection here, and no machine.
    streams: { seconds: 14 * 60, perUser: 1000, inAll: 5000 },
    hookSecrets: config.hookSecrets ?? {},
    publicUrl: publicAddresses(config)?.service ?? null,
    clock: systemClock,
  };
}
