import { isIP } from 'node:net';
import * as v from 'valibot';
import { keyedBy } from '../../files/state-file.ts';
import { isAddressOrNetwork } from '../../http/trusted-addresses.ts';

/** The kinds of repository hosts that the service speaks to. */
export const HOST_KINDS = ['github', 'gitlab', 'gitea', 'forgejo', 'bitbucket'] as const;

/** The names of the hosts that are configured in any case: the embedded one, and github.com. */
const BUILT_IN_HOSTS = ['local', 'github'];

const USER = /^[A-Za-z0-9][A-Za-z0-9-]{0,38}$/;
/** Paths of the embedded repository host. */
const RESERVED_USERS = ['repos', 'user'];

const Text = v.string('must be a text in quotes');
const Address = v.pipe(
  Text,
  v.check(isBaseAddress, 'must be an https:// address without login, query or fragment (http:// only on this machine)'),
);
/** The addresses that repository hosts are called at: not every system resolves `git.localhost`. */
const HostAddress = v.pipe(
  Address,
  v.check(
    (address) => !/^http:\/\/[^/]*\.localhost(?:[:/]|$)/i.test(address),
    'must be an https:// address, or http:// with localhost or 127.0.0.1',
  ),
);

const Host = v.strictObject({
  name: v.pipe(
    Text,
    v.regex(/^[a-z0-9][a-z0-9-]{0,31}$/, 'must be 1 to 32 lower-case letters, digits and dashes'),
    v.check(
      (name) => !BUILT_IN_HOSTS.includes(name),
      `must not be ${BUILT_IN_HOSTS.join(' or ')}: both are there already`,
    ),
  ),
  kind: v.picklist(HOST_KINDS, `must be one of ${HOST_KINDS.join(', ')}`),
  api: HostAddress,
  web: HostAddress,
  downloadHosts: v.optional(
    v.array(
      v.pipe(Text, v.regex(/^[a-z0-9.-]+(?::\d+)?$/, 'must be a host name, with or without a port')),
      'must be a list',
    ),
  ),
  privateNetwork: v.optional(v.boolean('must be true or false')),
});

const User = v.pipe(Text, v.check(isUserName, 'must be 1 to 39 letters, digits and dashes, and not repos or user'));

const HookSecrets = keyedBy(
  v.pipe(Text, v.regex(/^(?:\*|[^/\s]+(?:\/[^/\s]+\/[^/\s]+)?)$/, 'must be *, <user> or <user>/<owner>/<repository>')),
  v.record(
    Text,
    v.pipe(
      v.array(v.pipe(Text, v.minLength(1, 'must not be empty')), 'must be a list of secrets'),
      v.minLength(1, 'must not be empty'),
    ),
    'must have a list of secrets for each sender',
  ),
);

interface Range {
  readonly least: number;
  readonly most?: number;
  readonly unit?: string;
}

function whole({ least, most = Number.POSITIVE_INFINITY, unit }: Range) {
  const [of, end] = unit === undefined ? ['', ''] : [` of ${unit}`, ` ${unit}`];
  return v.pipe(
    v.number(`must be a number${of}`),
    v.integer(`must be a whole number${of}`),
    v.minValue(least, `must be at least ${least}${end}`),
    v.maxValue(most, `must be at most ${most}${end}`),
  );
}

const WEEK_MINUTES = 10_080;
const SMALLEST_LIMIT_MB = 32;

/** The applications that a limit is for. */
const OfApplications = v.pipe(
  Text,
  v.regex(/^(?:\*|[^/\s]+(?:\/[^/\s]+)?)$/, 'must be *, <user> or <user>/<application>'),
);

/** npm, its shell, and a process for each of some processors. */
const FEWEST_PROCESSES = 16;

/** The configuration file of one machine. All fields are optional. */
export const ConfigSchema = v.strictObject(
  {
    repositoryHosts: v.optional(
      v.pipe(
        v.array(Host, 'must be a list'),
        v.check((hosts) => !repeats(hosts.map(({ name }) => name)), 'must not use a name twice'),
      ),
    ),
    defaultBranch: v.optional(v.pipe(Text, v.check(isBranchName, 'must be the name of a branch'))),
    holdMinutes: v.optional(whole({ least: 1, most: WEEK_MINUTES })),
    reconcileMinutes: v.optional(whole({ least: 0, most: WEEK_MINUTES })),
    previewDays: v.optional(whole({ least: 1, most: 365 })),
    publicUrl: v.optional(Address),
    allowedOrigins: v.optional(
      v.array(
        v.pipe(Text, v.regex(/^https?:\/\/[A-Za-z0-9.:-]+$/, 'must be an origin like https://dashboard.example.com')),
        'must be a list',
      ),
    ),
    appsDomain: v.optional(v.pipe(Text, v.check(isDomain, 'must be a domain like apps.example.com, in lower case'))),
    listen: v.optional(
      v.pipe(
        Text,
        v.check((text) => isIP(text) !== 0, 'must be an IP address of this machine'),
      ),
    ),
    trustedProxies: v.optional(
      v.array(
        v.pipe(Text, v.check(isAddressOrNetwork, 'must be an IP address or a network like 10.0.0.0/8')),
        'must be a list',
      ),
    ),
    hookSecrets: v.optional(HookSecrets),
    cacheMegabytes: v.optional(whole({ least: 0, unit: 'MB' })),
    memoryLimits: v.optional(keyedBy(OfApplications, whole({ least: SMALLEST_LIMIT_MB, unit: 'MB' }))),
    processLimits: v.optional(keyedBy(OfApplications, whole({ least: FEWEST_PROCESSES, unit: 'processes' }))),
    isolation: v.optional(v.picklist(['auto', 'required', 'off'], 'must be auto, required or off')),
    users: v.optional(
      v.pipe(
        v.array(User, 'must be a list of names'),
        v.check((names) => !repeats(names), 'must not name a user twice'),
      ),
    ),
  },
  'must be an object in curly brackets',
);

/** The configuration of one machine. */
export type Config = v.InferOutput<typeof ConfigSchema>;

/** Whether a user can have the name, which is also the owner of the user's repositories. */
export function isUserName(name: string): boolean {
  return USER.test(name) && !RESERVED_USERS.includes(name);
}

function repeats(names: readonly string[]): boolean {
  return new Set(names).size < names.length;
}

function isBranchName(name: string): boolean {
  return name !== '' && name.length <= 250 && !/[\p{Cc}\s~^:?*[\\]/u.test(name);
}

/**
 * An application's label and its user's, 63 characters each, come before it:
 * https://www.rfc-editor.org/rfc/rfc1035#section-2.3.4
 */
const LONGEST_DOMAIN = 253 - 2 * 64;

function isDomain(name: string): boolean {
  const labels = name.split('.');
  const areLabels = labels.every((label) => /^[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?$/.test(label));
  return areLabels && labels.length > 1 && name.length <= LONGEST_DOMAIN && isIP(name) === 0;
}

function isBaseAddress(address: string): boolean {
  if (!URL.canParse(address)) return false;
  const url = new URL(address);
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') return false;
  return url.protocol === 'https:' || (url.protocol === 'http:' && isThisMachine(url.hostname));
}

function isThisMachine(hostname: string): boolean {
  return /(?:^|\.)localhost$/.test(hostname) || hostname === '[::1]' || /^127(?:\.\d{1,3}){3}$/.test(hostname);
}
