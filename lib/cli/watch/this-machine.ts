import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { CommandContext } from '../command.ts';
import type { Service } from './options.ts';

/** The one user there is on one machine. */
const USER = 'demo';

/** Milliseconds; what runs on this machine answers at once. */
const PATIENCE = 5_000;

/**
 * The service that runs on this machine, and its login, from what it leaves in its data folder (`DATA_DIR`, or `.local`).
 * Throws one plain sentence when it does not run.
 */
export async function thisMachine(env: CommandContext['env']): Promise<Service> {
  const folder = env.DATA_DIR || fileURLToPath(new URL('../../../.local', import.meta.url));
  const read = async (name: string) => (await readFile(join(folder, name), 'utf8')).trim();
  try {
    const [url, secret] = await Promise.all([read('url'), read('password')]);
    // A service that was killed has left its address behind.
    const response = await fetch(url, { redirect: 'manual', signal: AbortSignal.timeout(PATIENCE) });
    await response.body?.cancel();
    return { url, user: USER, secret };
  } catch (cause) {
    throw new Error(
      'The service does not run on this machine: start it with "npm start", or name another one with --url, --user and HOOKS_SECRET.',
      { cause },
    );
  }
}
