import { join } from 'node:path';
import { textOf } from '../release-file.ts';

/** The process types of a Procfile by name: https://devcenter.heroku.com/articles/procfile */
export type Procfile = Readonly<Record<string, string>>;

/**
 * Returns the Procfile of a folder, empty when there is none. Lines that are no process type are ignored, as on Heroku.
 */
export async function procfileIn(folder: string): Promise<Procfile> {
  const text = (await textOf(join(folder, 'Procfile'))) ?? '';
  const types = text.split(/\r?\n/).flatMap((line) => {
    const [, name, command] = /^([A-Za-z0-9_-]+):(.*)$/.exec(line) ?? [];
    return name !== undefined && command?.trim() ? [[name, command.trim()] as const] : [];
  });
  return Object.fromEntries(types);
}
