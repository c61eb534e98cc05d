import { pathToFileURL } from 'node:url';
import { storesIn } from '../../../lib/engine/ports.ts';
import type { EngineSettings } from '../../../lib/engine/settings.ts';
import { engineUsers } from '../../../lib/engine/users.ts';
import { NO_RESERVE } from '../../../lib/files/disk-reserve.ts';
import { settingsOf } from '../../../lib/local/config/settings.ts';
import { memoryPlatform } from '../../fakes/hosting-platform.ts';
import { memoryPorts } from '../../fakes/platform-ports.ts';

/** Settings of an engine on a folder with a platform in memory, with a repository host on that port of this machine. */
export function engineSettings(dataDir: string, repositories = 9): EngineSettings {
  const settings = settingsOf({}, { repositories });
  const stores = storesIn(dataDir);
  const [own, ...others] = settings.repositoryHosts;
  if (!own) throw new Error('The settings have no repository host.');
  const { api, web } = own;
  return {
    ...settings,
    // In place of the git host of the service, a host that is asked over HTTP.
    repositoryHosts: [{ name: own.name, kind: 'github', api, web }, ...others],
    dataDir,
    stores,
    users: engineUsers(stores.users, settings.clock),
    platform: memoryPorts(memoryPlatform()),
    signalsUrl: () => '',
    repositoriesUrl: '',
    page: pathToFileURL(`${dataDir}/`),
    reserve: NO_RESERVE,
    log: () => {},
  };
}
