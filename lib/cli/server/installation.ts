import { readdirSync, realpathSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as v from 'valibot';
import { readStateSync } from '../../files/state-file.ts';
import { overridesIn, readConfig, withOverrides } from '../../local/config/config.ts';
import { proxyProof } from '../../local/config/proxy-proof.ts';
import { publicAddresses } from '../../local/config/public-addresses.ts';
import { DEFAULT_PORT, dataFolder } from '../../local/config/start-place.ts';
import type { Call } from '../command.ts';
import { Failure, UsageError } from '../errors.ts';

export type Installation = ReturnType<typeof installationOf>;

/**
 * Returns the installation that a call describes: this checkout, its configuration, the environment and the options.
 */
export function installationOf({ env, args }: Call, thisUser: string) {
  const dataDir = resolve(dataFolder(env));
  const given = { ...env, ...(args.text('domain') !== undefined && { APPS_DOMAIN: args.text('domain') }) };
  const overrides = overridesIn(given);
  const addresses = publicAddresses(withOverrides(readConfig(dataDir), overrides));
  const { appsDomain: APPS_DOMAIN, publicUrl: PUBLIC_URL, listen: LISTEN, isolation: ISOLATION } = overrides;
  const named = { APPS_DOMAIN, PUBLIC_URL, LISTEN, ISOLATION };
  // The root of the checkout.
  const project = fileURLToPath(new URL('../../../', import.meta.url)).replace(/\/$/, '');
  return {
    project,
    dataDir,
    writable: [project, dataDir, ...movedFrom(dataDir)],
    node: process.execPath,
    user: args.text('as') ?? thisUser,
    port: portOf(env.PORT || DEFAULT_PORT),
    platformPort: platformPortIn(dataDir),
    /** Throws a `Failure` where the domain is not known, which not every file needs. */
    get addresses() {
      if (addresses?.apps !== undefined) return addresses;
      const advice = 'hooks server --domain apps.example.com, or "appsDomain" in config.json.';
      throw new Failure(`The domain of the applications is not known: ${advice}`);
    },
    /** What Caddy sends to the service. Made where there is none. */
    proxySecret: () => proxyProof(dataDir).secret,
    // The unit has to set what is not in config.json.
    environment: Object.fromEntries(
      Object.entries(named).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
    ),
  };
}

/** Returns the folders to which links in the data folder have moved parts of it. */
function movedFrom(dataDir: string): readonly string[] {
  const entries = statSync(dataDir, { throwIfNoEntry: false }) ? readdirSync(dataDir, { withFileTypes: true }) : [];
  const links = entries.filter((one) => one.isSymbolicLink()).map(({ name }) => join(dataDir, name));
  return links
    .filter((link) => statSync(link, { throwIfNoEntry: false }))
    .map((link) => realpathSync(link))
    .map((target) => (statSync(target).isDirectory() ? target : dirname(target)));
}

const Ports = v.object({ platform: v.optional(v.number()) });

/** Undefined before the first start. A damaged file is replaced by the next one. */
function platformPortIn(dataDir: string): number | undefined {
  try {
    return readStateSync(join(dataDir, 'ports.json'), Ports)?.platform;
  } catch {
    return undefined;
  }
}

function portOf(text: string): number {
  const port = Number(text);
  if (/^\d{1,5}$/.test(text) && port > 0 && port < 65_536) return port;
  throw new UsageError(`PORT is "${text}": a server needs one that stays the same, 1 to 65535.`);
}
