import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { isLoopback } from '../../client/client.ts';
import { MISSING, unless } from '../../files/errors.ts';
import { readConfig } from '../../local/config/config.ts';
import { dataFolder } from '../../local/config/start-place.ts';
import { shellQuote } from '../../process/command.ts';
import type { CommandContext } from '../command.ts';
import { Failure } from '../errors.ts';
import { address } from './address.ts';
import { readLogin } from './stored-login.ts';

/**
 * Returns the data folder that a command works on, absolute: that of `DATA_DIR`, else the one of this machine.
 *
 * @throws Failure without `DATA_DIR` when the other commands call a service elsewhere: this folder is not meant then
 */
export async function ownDataFolder(env: CommandContext['env'], project?: string): Promise<string> {
  const folder = resolve(dataFolder(env, project));
  if (env.DATA_DIR) return folder;
  const url = env.HOOKS_URL || (await readLogin(env))?.url;
  if (!url || (await isServiceOf(folder, address(url, 'the service: HOOKS_URL')))) return folder;
  throw new Failure(
    `This works on the data folder of one machine, here ${folder}, and hooks calls ${url}: run it on that machine. For the folder here, set DATA_DIR=${shellQuote(folder)} before the command.`,
  );
}

/** Whether the service at an address is that of the folder. */
async function isServiceOf(folder: string, url: string): Promise<boolean> {
  const { publicUrl } = readConfig(folder);
  if (publicUrl !== undefined && new URL(publicUrl).host === new URL(url).host) return true;
  const running = await unless([...MISSING, 'EACCES'], readFile(join(folder, 'url'), 'utf8'));
  if (!isLoopback(url)) return running?.trim() === url;
  // Of a service that does not run, the port is not known; a tunnel to another machine has a port of its own.
  return running === undefined || new URL(running.trim()).port === new URL(url).port;
}
