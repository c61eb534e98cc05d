import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The one user of this machine; the password is in `<dataDir>/password`, for its owner only. */
export interface Login {
  readonly user: string;
  readonly password: string;
}

const USER = 'demo';
const PASSWORD_BYTES = 18;
/** For the owner of the file only. */
const SECRET = { mode: 0o600 };

/** Returns the login of the data folder; the first call makes a password. */
export function readLogin(dataDir: string): Login {
  const file = join(dataDir, 'password');
  const known = existsSync(file) ? readFileSync(file, 'utf8').trim() : '';
  if (known !== '') return { user: USER, password: known };
  const password = randomBytes(PASSWORD_BYTES).toString('base64url');
  writeFileSync(file, `${password}\n`, SECRET);
  return { user: USER, password };
}

/**
 * Writes two files for other programs of this machine: `netrc`, with which `curl --netrc-file` logs in without a secret on
 * the command line, and `url`, the address of the API. Returns what removes the address, which is valid while it runs.
 */
export function publishLogin(dataDir: string, url: string, { user, password }: Login): () => Promise<void> {
  const { hostname } = new URL(url);
  writeFileSync(join(dataDir, 'netrc'), `machine ${hostname} login ${user} password ${password}\n`, SECRET);
  writeFileSync(join(dataDir, 'url'), `${url}\n`);
  return async () => rmSync(join(dataDir, 'url'), { force: true });
}
