import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { dataFolder } from '../../local/config/start-place.ts';
import type { CommandContext } from '../command.ts';
import type { Service } from './service.ts';

const TIMEOUT_MS = 5_000;

/**
 * Returns the service that runs on this machine and its login, from the files in its data folder; null when none runs.
 */
export async function thisMachine(env: CommandContext['env']): Promise<Service | null> {
  const dataDir = dataFolder(env);
  const read = (name: string) => readFile(join(dataDir, name), 'utf8');
  try {
    const [url, netrc] = await Promise.all([read('url'), read('netrc')]);
    const [, user, secret] = /\blogin (\S+) password (\S+)/.exec(netrc) ?? [];
    if (user === undefined || secret === undefined) return null;
    // A killed service leaves the file behind, so the address is checked.
    const response = await fetch(url.trim(), { redirect: 'manual', signal: AbortSignal.timeout(TIMEOUT_MS) });
    await response.body?.cancel();
    return { url: url.trim(), user, secret, dataDir, from: `the service that runs in ${dataDir}` };
  } catch {
    return null;
  }
}
