import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Login } from './config/users.ts';

/** For the owner of the file only. */
const SECRET = { mode: 0o600 };

/** The addresses of the service and of the repository host. */
interface Addresses {
  readonly url: string;
  readonly repositories: string;
}

/**
 * Writes files for other programs of this machine: `netrc`, with which `curl --netrc-file` logs in without a secret on
 * the command line, and the addresses of the API (`url`) and of the repository host (`repositories-url`). Returns what
 * removes the addresses, which are valid while it runs.
 */
export function publishLogin(
  dataDir: string,
  { url, repositories }: Addresses,
  { user, password }: Login,
): () => Promise<void> {
  const { hostname } = new URL(url);
  writeFileSync(join(dataDir, 'netrc'), `machine ${hostname} login ${user} password ${password}\n`, SECRET);
  const addresses = { url, 'repositories-url': repositories };
  for (const [name, address] of Object.entries(addresses)) writeFileSync(join(dataDir, name), `${address}\n`);
  return async () => {
    for (const name of Object.keys(addresses)) rmSync(join(dataDir, name), { force: true });
  };
}
