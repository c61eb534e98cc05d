import { mkdirSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { OperatorError } from '../../files/errors.ts';
import { privateText } from '../../files/state-file.ts';
import type { PublicDomain } from '../../http/app-domain.ts';
import type { ProcessLimits } from '../../runner/limits/process-watch.ts';

/** The options of the platform as a separate program. */
export interface PlatformCommand {
  readonly port: number;
  readonly dataDir: string;
  readonly serviceToken: string;
  /** The platform's own name for others: that of `--url`. */
  readonly ownHost?: string;
  readonly publicDomain?: PublicDomain;
  readonly processLimits?: ProcessLimits;
}

interface Surroundings {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The folder that relative paths begin at. */
  readonly folder: string;
  /** The data folder without `--data`. */
  readonly dataDir: string;
}

export const HELP = `Runs the hosting platform as a separate program, for a service on AWS or on another machine.

  npm run platform -- --listen 127.0.0.1:9000 --url https://platform.example.com --apps https://apps.example.com

  --listen <host:port>   where it listens: an address of this machine alone, behind a proxy with a certificate
  --url <address>        its address for the service: PlatformUrl of the stack
  --apps <address>       the domain of applications: <app>.<user>.apps.example.com; default: this machine only
  --token-file <file>    holds the token of the service; default: the variable PLATFORM_TOKEN
  --data <folder>        default: .local/platform-alone
  --processes <n>        how many processes an application may have; default: 256

lib/platform/README.md has a unit of systemd and a Caddyfile.`;

const DEFINED = {
  listen: { type: 'string' },
  url: { type: 'string' },
  apps: { type: 'string' },
  'token-file': { type: 'string' },
  data: { type: 'string' },
  processes: { type: 'string' },
  help: { type: 'boolean' },
} as const;

/** Returns the options of a call; null when it asks for help. Throws an `OperatorError`. */
export function platformCommand(argv: readonly string[], at: Surroundings): PlatformCommand | null {
  const given = valuesOf(argv);
  if (given.help) return null;
  const { url, apps, processes } = given;
  const dataDir = resolve(at.folder, given.data ?? at.dataDir);
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  return {
    port: portOf(given.listen),
    dataDir,
    serviceToken: tokenOf(given['token-file'], at),
    ...(processes !== undefined && { processLimits: { '*': numberOf(processes) } }),
    ...(url !== undefined && { ownHost: addressOf('--url', url).hostname }),
    ...(apps !== undefined && { publicDomain: domainOf(addressOf('--apps', apps)) }),
  };
}

function valuesOf(argv: readonly string[]) {
  try {
    return parseArgs({ args: [...argv], options: DEFINED, strict: true }).values;
  } catch (cause) {
    const said = cause instanceof Error ? (cause.message.split('. ')[0] ?? '') : '';
    throw new OperatorError(`${said}. "npm run platform -- --help" explains the options.`, { cause });
  }
}

function portOf(listen: string | undefined): number {
  const [, host, digits] = /^(.+):(\d{1,5})$/.exec(listen ?? '') ?? [];
  const port = Number(digits);
  if (host === undefined || port > 65_535)
    throw new OperatorError('--listen takes <host:port>, such as 127.0.0.1:9000.');
  if (host === '127.0.0.1' || host === 'localhost') return port;
  throw new OperatorError(
    `--listen ${listen} would send the token over the network in clear. Listen on 127.0.0.1:${port}, behind a proxy with a certificate.`,
  );
}

/** npm, its shell, and a process for each of some processors. */
const FEWEST_PROCESSES = 16;

function numberOf(processes: string): number {
  if (/^\d{2,6}$/.test(processes) && Number(processes) >= FEWEST_PROCESSES) return Number(processes);
  throw new OperatorError(`--processes takes a number of ${FEWEST_PROCESSES} or more.`);
}

function tokenOf(file: string | undefined, { env, folder }: Surroundings): string {
  const token = file === undefined ? env.PLATFORM_TOKEN : privateText(resolve(folder, file)).trim();
  if (token) return token;
  throw new OperatorError(
    'The token of the service is missing: PLATFORM_TOKEN or --token-file. It is the one in the secret of the output PlatformTokenSecret.',
  );
}

/** The token is sent there, so http is for this machine only. */
function addressOf(option: string, text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : null;
  const isLocal = url?.protocol === 'http:' && /^(?:127\.0\.0\.1|(?:.+\.)?localhost)$/.test(url.hostname);
  if (url && (url.protocol === 'https:' || isLocal) && url.pathname === '/') return url;
  throw new OperatorError(`${option} takes an https address without a path, such as https://platform.example.com.`);
}

function domainOf({ hostname, protocol, port }: URL): PublicDomain {
  return { domain: hostname, protocol: protocol === 'https:' ? 'https:' : 'http:', port };
}
