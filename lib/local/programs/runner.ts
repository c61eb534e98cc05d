import { join } from 'node:path';
import { type RunnerOptions, runHere } from '../../runner/program/start.ts';
import { dataFolder } from '../config/start-place.ts';

export function runnerFiles(dataDir: string): Pick<RunnerOptions, 'folder' | 'ports' | 'reserve'> {
  return { folder: join(dataDir, 'platform'), ports: join(dataDir, 'ports.json'), reserve: join(dataDir, 'reserve') };
}

/** Runs the applications of the data folder that the environment names, in this process. */
export async function runApplications(env: NodeJS.ProcessEnv): Promise<void> {
  await runHere({ ...runnerFiles(dataFolder(env)), own: env });
}
