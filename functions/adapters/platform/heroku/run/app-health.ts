import type { AppHealth } from '../../../../core/ports/apps/app-health.ts';
import { providerAppHealth } from '../../provider/app-health.ts';
import type { HerokuParts } from '../parts.ts';
import { herokuCalls } from './calls.ts';
import { readConfig } from './config.ts';
import { isOwn, lastLogLines } from './log-session.ts';
import { reasonOf } from './start-failure.ts';

const CODE = 'request:failed';

/** Returns the detection of crashes on Heroku, by the states of the web dynos. */
export function herokuAppHealth(parts: HerokuParts): AppHealth {
  return providerAppHealth(parts, {
    look: async (run) => {
      const dynos = await herokuCalls(run, parts).webDynos();
      if (dynos.length > 0 && dynos.every(({ state }) => state === 'crashed')) return 'crashed';
      return dynos.some(({ state }) => state === 'up' || state === 'idle') ? 'answers' : null;
    },
    explain: async (run, since) => {
      const lines = (await lastLogLines(run, parts)).filter(({ at }) => Date.parse(at) >= since);
      const own = lines.filter(isOwn).map(({ line }) => line);
      return { why: reasonOf('crashed', lines, own), lines: own };
    },
    variables: (run) => readConfig(run, { code: CODE, parts }),
  });
}
