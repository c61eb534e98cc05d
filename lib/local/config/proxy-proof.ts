import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import * as v from 'valibot';
import { readStateSync, writeStateSync } from '../../files/state-file.ts';
import type { ProxyProof } from '../../http/trusted-addresses.ts';

const FILE = 'proxy.json';
const SECRET_BYTES = 24;

const schema = v.object({
  /** What the proxy of this machine sends, as the printed Caddyfile has it. */
  secret: v.string(),
  /** Whether what does not send it is believed no more. */
  isNeeded: v.boolean(),
});

/**
 * Returns the secret by which the proxy of this machine proves itself, which is made for a data folder once. Applications
 * can reach the port of the service too, and would be believed what they say of a client.
 *
 * The service of an earlier version has a Caddyfile without it: there any program of this machine is believed, as it was,
 * until a request has come with the secret.
 */
export function proxyProof(dataDir: string): ProxyProof {
  const file = join(dataDir, FILE);
  const write = (state: v.InferOutput<typeof schema>) => writeStateSync(file, state, { secret: true });
  let state = readStateSync(file, schema);
  if (state === undefined) {
    const isNew = !existsSync(join(dataDir, 'service.db'));
    state = { secret: randomBytes(SECRET_BYTES).toString('base64url'), isNeeded: isNew };
    write(state);
  }
  const { secret } = state;
  let { isNeeded } = state;
  return {
    secret,
    isNeeded: () => isNeeded,
    given: () => {
      if (isNeeded) return;
      isNeeded = true;
      write({ secret, isNeeded });
    },
  };
}
