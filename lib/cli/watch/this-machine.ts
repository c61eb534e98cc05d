import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { CommandContext } from '../command.ts';
import type { Service } from './options.ts';

/** The only user of a service on one machine. */
const USER = 'demo';

const TIMEOUT_MS = 5_000;

/**
 * Returns the service that runs on this machine and its login, from the files in its data folder (`DATA_DIR`, or `.local`).
 * Throws when it does not run; the message is one sentence for the user.
 */
export async function thisMachine(env: CommandContext['env']): Promise<Service> {
  const folder = env.DATA_DIR || fileURLToPath(new URL('../../../.local', import.meta.url));
  const read = async (name: string) => (await readFile(join(folder, name), 'utf8')).trim();
  try {
    const [url, secret] = await Promise.all([read('url'), read('password')]);
    // A killed service leaves the file behind, so the address is checked.
    const response = await fetch(url, { redirect: 'manual', signal: AbortSignal.timeout(TIMEOUT_MS) });
    await response.body?.cancel();
    return { url, user: USER, secret };
  } catch (cause) {
    throw new Error(
      'The service does not run on this machine: start it with "npm start", or name another one with --url, --user and HOOKS_SECRET.',
      { cause },
    );
  }
}
