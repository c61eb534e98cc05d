import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { privateText } from '../../../lib/files/state-file.ts';
import { OperatorError } from '../../../lib/processes/operator-error.ts';
import { isSafeAddress, type RemotePlatform } from './remote-platform.ts';

/** Where the applications of one machine run; `http`: on a platform that runs elsewhere. */
export const PLATFORMS = ['embedded', 'http', 'aws-lambda'] as const;
export type PlatformName = (typeof PLATFORMS)[number];

/** The arguments of a start. */
export interface StartArguments {
  readonly platform: PlatformName;
  /** The platform of `http`. */
  readonly remote?: RemotePlatform;
  /** Whether functions run as strictly as on AWS. */
  readonly strict: boolean;
  /** Decides then what happens by chance. */
  readonly seed?: number;
}

/** The context of a start. */
export interface CalledFrom {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The folder that relative paths begin at. */
  readonly folder: string;
}

const OPTIONS = {
  platform: { type: 'string', default: 'embedded' },
  'platform-url': { type: 'string' },
  'platform-token-file': { type: 'string' },
  strict: { type: 'boolean', default: false },
  seed: { type: 'string' },
} as const;

/**
 * Reads the arguments of a start: `--platform`, without which the platform is the embedded one, `--platform-url` and
 * `--platform-token-file` for `http`, and `--strict`, with `--seed` for the same choices again.
 *
 * @throws OperatorError for any other argument, and for a platform that cannot be called by what is given
 */
export function startArguments(words: readonly string[], from: CalledFrom): StartArguments {
  const { platform, strict, seed, 'platform-url': url, 'platform-token-file': tokenFile } = parsed(words);
  const known = PLATFORMS.find((name) => name === platform);
  if (known === undefined || strict === undefined) throw unknownArguments(words);
  if (seed !== undefined && !(strict && /^\d{1,9}$/.test(seed))) throw unknownArguments(words);
  const asked = { platform: known, strict, ...(seed !== undefined && { seed: Number(seed) }) };
  if (known === 'http') return { ...asked, remote: remote(url, tokenFile, from) };
  if (url === undefined && tokenFile === undefined) return asked;
  throw new OperatorError('--platform-url and --platform-token-file are for --platform http.');
}

function remote(url: string | undefined, tokenFile: string | undefined, { env, folder }: CalledFrom): RemotePlatform {
  // The platform's command takes an address without a path; a proxy may put it below one.
  if (url === undefined || !isSafeAddress(url)) {
    throw new OperatorError(
      '--platform http needs --platform-url, an https address, or an http one of this machine, without a login in it.',
    );
  }
  const token = tokenFile === undefined ? env.PLATFORM_TOKEN : privateText(resolve(folder, tokenFile)).trim();
  if (token) return { url: url.replace(/\/+$/, ''), token };
  throw new OperatorError(
    'The token that the platform takes from the service is missing: PLATFORM_TOKEN or --platform-token-file.',
  );
}

function parsed(words: readonly string[]) {
  try {
    return parseArgs({ args: [...words], options: OPTIONS }).values;
  } catch {
    throw unknownArguments(words);
  }
}

function unknownArguments(words: readonly string[]): OperatorError {
  const known =
    '--platform embedded, http or aws-lambda, --platform-url, --platform-token-file, --strict, and with it --seed <number>';
  // An address may have a login in it.
  const given = words.join(' ').replace(/\/\/[^/\s]*@/g, '//');
  return new OperatorError(`npm start knows the options ${known}, not ${given}.`);
}
