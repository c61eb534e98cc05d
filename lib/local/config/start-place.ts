import { join } from 'node:path';
import { OperatorError } from '../../files/errors.ts';

/** The data folder and the port of `npm start`. */
export interface StartPlace {
  readonly dataDir: string;
  /** 0: any free one. */
  readonly port: number;
}

const DEFAULT_PORT = '8080';

/** Returns `DATA_DIR` and `PORT` of the environment; an empty variable sets nothing. Throws `OperatorError`. */
export function startPlace(env: Readonly<Record<string, string | undefined>>, project: string): StartPlace {
  return { dataDir: env.DATA_DIR || join(project, '.local'), port: portIn(env.PORT || DEFAULT_PORT) };
}

function portIn(text: string): number {
  const value = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (value < 65_536) return value;
  throw new OperatorError(`PORT is "${text}", which is not the number of a port.`);
}
