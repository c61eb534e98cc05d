import type { AppProcesses, AppRuns } from '../../../functions/core/ports/applications.ts';
import type { AppRef } from '../../../functions/core/ports/platform.ts';
import { piecesOf } from './output.ts';
import type { PortParts } from './parts.ts';
import type { AppCall, Calls } from './refusals.ts';

const REFUSALS = { 400: 'request:bad_parameter', 409: 'request:conflict', 429: 'request:throttled' } as const;

export function processes({ desired }: PortParts, { find }: Calls): AppProcesses {
  const callOf = (app: AppRef): AppCall => ({ app, code: 'request:failed', what: `the processes of ${app.app}` });
  return {
    list: (app) => find(callOf(app), (name) => desired.of(name).processes()),
    scale: (app, counts) =>
      find({ ...callOf(app), refusals: REFUSALS }, async (name) => {
        await desired.of(name).scale(counts);
        return desired.of(name).processes();
      }),
  };
}

export function runs({ desired }: PortParts, { find }: Calls): AppRuns {
  const callOf = (app: AppRef): AppCall => ({
    app,
    code: 'request:failed',
    what: `the commands of ${app.app}`,
    refusals: REFUSALS,
  });
  return {
    start: (app, run) => find(callOf(app), (name) => desired.of(name).run(run)),
    read: (app, run, signal) =>
      find(callOf(app), async (name) => piecesOf(await desired.of(name).said(run, signal), signal)),
    write: async (app, run, input) =>
      (await find(callOf(app), async (name) => {
        await desired.of(name).input(run, input);
        return true;
      })) !== null,
  };
}
