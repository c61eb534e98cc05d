import { pathToFileURL } from 'node:url';
import { storesIn } from '../../../lib/engine/ports.ts';
import type { EngineSettings } from '../../../lib/engine/settings.ts';
import { NO_RESERVE } from '../../../lib/files/disk-reserve.ts';
import { settingsOf } from '../../../lib/local/config/settings.ts';
import { portsOverHttp } from '../platform/over-http.ts';

/** Settings of an engine on a folder without a platform, with a repository host on that port of this machine. */
export function engineSettings(dataDir: string, repositories = 9): EngineSettings {
  return {
    ...settingsOf({}, { repositories }),
    dataDir,
    stores: storesIn(dataDir),
    platform: portsOverHttp('http://127.0.0.1:9', 'token'),
    signalsUrl: () => '',
    repositoriesUrl: '',
    page: pathToFileURL(`${dataDir}/`),
    reserve: NO_RESERVE,
    log: () => {},
  };
}
