import type { AppHealth } from '../../../../core/ports/apps/app-health.ts';
import { providerAppHealth } from '../../provider/app-health.ts';
import type { ScalingoParts } from '../parts.ts';
import { isOwn, lastLogLines } from './app-log.ts';
import { readApp, readFormation } from './containers.ts';
import { reasonOf } from './start-failure.ts';
import { readValues } from './variables.ts';

const CODE = 'request:failed';

/** Returns the detection of crashes on Scalingo, by the states of the apps. */
export function scalingoAppHealth(parts: ScalingoParts): AppHealth {
  return providerAppHealth(parts, {
    look: async (run) => {
      const app = await readApp(run, parts);
      if (app?.status === 'running') return 'answers';
      if (app?.status === 'crashed') return 'crashed';
      // Between two restarts nothing runs, although the formation has containers.
      const hasContainers = app?.status === 'stopped' && ((await readFormation(run, parts)).web ?? 0) > 0;
      return hasContainers ? 'crashed' : null;
    },
    explain: async (run, since) => {
      const lines = (await lastLogLines(run, parts)).filter((line) => isOwn(line) && Date.parse(line.at) >= since);
      const own = lines.map(({ line }) => line);
      return { why: reasonOf('crashed-error', own), lines: own };
    },
    variables: (run) => readValues(run, { code: CODE, parts }),
  });
}
