import { homedir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { OperatorError } from '../../files/errors.ts';

/** The data folder and the port of `npm start`. */
interface StartPlace {
  readonly dataDir: string;
  /** 0: any free one. */
  readonly port: number;
}

type Environment = Readonly<Record<string, string | undefined>>;

export const DEFAULT_PORT = '8080';
const OWN_FOLDER = fileURLToPath(new URL('../../..', import.meta.url));

/** Returns `DATA_DIR` and `PORT` of the environment; an empty variable sets nothing. Throws `OperatorError`. */
export function startPlace(env: Environment, project?: string): StartPlace {
  return { dataDir: dataFolder(env, project), port: portIn(env.PORT || DEFAULT_PORT) };
}

/**
 * Returns the data folder of the service on this machine: `DATA_DIR`, else `.local` of the checkout. A package of npm
 * may be replaced at any time, so its data are in the user's folder for such:
 * https://specifications.freedesktop.org/basedir-spec/latest/
 */
export function dataFolder(env: Environment, project = OWN_FOLDER): string {
  if (env.DATA_DIR) return env.DATA_DIR;
  if (!isPackage(project)) return join(project, '.local');
  const data = env.XDG_DATA_HOME || join(env.HOME || homedir(), '.local', 'share');
  return join(data, 'deployment-webhooks');
}

/** Whether npm has installed it, in place of a clone. */
export function isPackage(project: string): boolean {
  return /[\\/]node_modules[\\/]/.test(project);
}

function portIn(text: string): number {
  const value = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (value < 65_536) return value;
  throw new OperatorError(`PORT is "${text}", which is not the number of a port.`);
}
