import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { AppId, AppSpec, ReleaseSpec, RunnerCalls } from '../../../lib/runner/calls.ts';

export const hello: AppId = { user: 'ada', app: 'hello' };

/** Returns the description of an application for a runner, with its files in a folder. */
export function specIn(folder: string): AppSpec {
  return {
    ...{
      ...hello,
      version: { service: 1, number: 1 },
      port: null,
      scale: {},
      domains: [],
      redirects: {},
      password: null,
      release: null,
      variables: {},
      memoryMb: null,
      mostProcesses: 256,
      isolation: null,
    },
    ...{ hosts: ['hello.ada.localhost'], log: join(folder, 'app.log'), dataDir: folder, caches: folder },
  };
}

/** Returns a release of it with a server. */
export async function releaseIn(folder: string, snapshot: string, server: string): Promise<ReleaseSpec> {
  const root = join(folder, snapshot);
  await mkdir(root);
  await writeFile(join(root, 'server.js'), server);
  const web = { program: 'node', args: ['server.js'], text: 'node server.js' };
  const manifest = { scripts: {}, packages: [] };
  const how = { since: Date.now(), overlap: true, affinity: false, health: null, kept: [] };
  return { snapshot, root, folder: root, bins: [], manifest, types: { web, others: {} }, cron: [], ...how };
}

/** Starts a release at a runner and returns the port. */
export async function startAt(runner: RunnerCalls, spec: AppSpec, release: ReleaseSpec): Promise<number> {
  return (await runner.apply(spec, { is: 'start', release })) ?? 0;
}

/** Returns the state that a runner has of an application; undefined when it was not described. */
export async function stateAt(runner: RunnerCalls, app: AppId = hello) {
  return (await runner.states(app))[0]?.state;
}
