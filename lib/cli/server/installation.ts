import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as v from 'valibot';
import { readStateSync } from '../../files/state-file.ts';
import { overridesIn, readConfig, withOverrides } from '../../local/config/config.ts';
import { type PublicAddresses, publicAddresses } from '../../local/config/public-addresses.ts';
import { dataFolder } from '../../local/config/start-place.ts';
import type { Call } from '../command.ts';
import { Failure, UsageError } from '../errors.ts';

export interface Installation {
  /** Root of the checkout. */
  readonly project: string;
  readonly dataDir: string;
  /** The Node that runs this command. */
  readonly node: string;
  readonly user: string;
  readonly port: number;
  /** The port of the platform, on which it answers for applications by their names; undefined before the first start. */
  readonly platformPort: number | undefined;
  readonly addresses: PublicAddresses;
  /** Settings that are in the environment of this call and not in config.json: the service needs them too. */
  readonly environment: Readonly<Record<string, string>>;
}

const DEFAULT_PORT = '8080';

/**
 * Returns the installation that a call describes: this checkout, its configuration, the environment and the options.
 */
export function installationOf({ env, args }: Call, thisUser: string): Installation {
  const dataDir = resolve(dataFolder(env));
  const given = { ...env, ...(args.text('domain') !== undefined && { APPS_DOMAIN: args.text('domain') }) };
  const overrides = overridesIn(given);
  const addresses = publicAddresses(withOverrides(readConfig(dataDir), overrides));
  if (addresses?.apps === undefined) {
    throw new Failure(
      'The domain of the applications is not known: hooks server --domain apps.example.com, or "appsDomain" in config.json.',
    );
  }
  const named = { APPS_DOMAIN: overrides.appsDomain, PUBLIC_URL: overrides.publicUrl, LISTEN: overrides.listen };
  return {
    project: fileURLToPath(new URL('../../../', import.meta.url)).replace(/\/$/, ''),
    dataDir,
    node: process.execPath,
    user: args.text('as') ?? thisUser,
    port: portOf(env.PORT || DEFAULT_PORT),
    platformPort: platformPortIn(dataDir),
    addresses,
    environment: Object.fromEntries(
      Object.entries(named).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
    ),
  };
}

const Ports = v.object({ platform: v.optional(v.number()) });

/** A damaged file is replaced by the next start. */
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
