import { chmod, mkdir, readFile, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import * as v from 'valibot';
import { replaceFile } from '../../files/atomic-file.ts';
import { MISSING, unless } from '../../files/errors.ts';
import type { CommandContext } from '../command.ts';
import { Failure } from '../errors.ts';

/** The login that `hooks login` stores. */
export interface StoredLogin {
  /** Without a slash at the end. */
  readonly url: string;
  readonly user: string;
  /** Password or API token. */
  readonly secret: string;
}

export interface Service extends StoredLogin {
  /** The source of the choice, as the end of a sentence. */
  readonly from: string;
  /** The data folder, for the service of this machine. */
  readonly dataDir?: string;
}

const Login = v.object({ url: v.string(), user: v.string(), secret: v.string() });

/** Returns the path of the stored login: https://specifications.freedesktop.org/basedir-spec/latest/ */
export function loginFile(env: CommandContext['env']): string {
  const folder = env.XDG_CONFIG_HOME || join(env.HOME || homedir(), '.config');
  return join(folder, 'deployment-webhooks', 'login.json');
}

/** Returns the stored login; null when there is none. */
export async function readLogin(env: CommandContext['env']): Promise<StoredLogin | null> {
  const file = loginFile(env);
  const text = await unless(MISSING, readFile(file, 'utf8'));
  if (text === undefined) return null;
  try {
    return v.parse(Login, JSON.parse(text));
  } catch (cause) {
    throw new Failure(`${file} cannot be read: log in again with "hooks login".`, { cause });
  }
}

/** Stores a login for its owner only, in place of an earlier one. */
export async function writeLogin(env: CommandContext['env'], login: StoredLogin): Promise<string> {
  const file = loginFile(env);
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  await chmod(dirname(file), 0o700);
  await replaceFile(file, `${JSON.stringify(login, null, 2)}\n`, { secret: true });
  return file;
}

/** Deletes the stored login. Returns whether there was one. */
export async function deleteLogin(env: CommandContext['env']): Promise<boolean> {
  const had = (await readLogin(env).catch(() => true)) !== null;
  await rm(loginFile(env), { force: true });
  return had;
}
