import { delimiter, dirname, join } from 'node:path';
import type { Installation } from './installation.ts';

const RUNNER_UNIT = 'deployment-webhooks-runner.service';
export const UNIT_FILE = '/etc/systemd/system/deployment-webhooks.service';
export const RUNNER_UNIT_FILE = `/etc/systemd/system/${RUNNER_UNIT}`;
export const WATCH_UNIT_FILE = '/etc/systemd/system/deployment-webhooks-watch.service';

/** Ports below this one need a special right. */
const FIRST_FREE_PORT = 1024;

/** What differs between the two units. */
interface Unit {
  readonly description: string;
  readonly program: string;
  readonly environment?: Readonly<Record<string, string>>;
  readonly needs?: string;
  readonly service: readonly string[];
  readonly capabilities?: string;
}

const LIMITS = [
  'MemoryMax=80%',
  '# Without memory one process is killed, and not the whole unit.',
  'OOMPolicy=continue',
  '# Processes and threads of all: a fork bomb ends here, when the platform is not faster ("processLimits").',
  'TasksMax=8192',
];

/** The cache of both units, into which npm downloads the packages of this checkout. */
const CACHE = 'deployment-webhooks';

/**
 * What is closed. Not `RestrictNamespaces`, `ProtectKernelTunables` and `ProtectKernelLogs`: bubblewrap makes namespaces, and the
 * kernel lets it mount a /proc only where nothing of /proc is covered. Not `ProtectProc`: the holder of a lock is looked for, who
 * may be another user. Not `MemoryDenyWriteExecute` and `SystemCallFilter`: applications run any program, and Node compiles.
 *
 * @see https://www.freedesktop.org/software/systemd/man/latest/systemd.exec.html
 */
const CLOSED = [
  '# No more rights by set-uid programs, and none but those of its user.',
  'NoNewPrivileges=true',
  'RestrictSUIDSGID=true',
  '# Its own /tmp, and no devices of the machine; applications have their own again.',
  'PrivateTmp=true',
  'PrivateDevices=true',
  '# The kernel, the clock and the limits of other units are not its business.',
  'ProtectKernelModules=true',
  'ProtectControlGroups=true',
  'ProtectClock=true',
  'ProtectHostname=true',
  'RestrictRealtime=true',
  'LockPersonality=true',
  'SystemCallArchitectures=native',
  'RemoveIPC=true',
  '# Sockets of the network and of this machine; no raw packets.',
  'RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6 AF_NETLINK',
  '# No application or build asks a cloud for the credentials of this machine. Where a name server has such an address',
  '# (/etc/resolv.conf), IPAddressAllow= it.',
  'IPAddressDeny=link-local fd00:ec2::254 100.100.100.200',
];

/**
 * Returns the unit with which systemd runs the service. Its applications run in that of the runner.
 *
 * @see https://www.freedesktop.org/software/systemd/man/latest/systemd.service.html
 */
export function systemdUnit(installation: Installation): string {
  const { port, environment } = installation;
  return unitFile(installation, {
    description: 'Deployment Webhooks',
    program: 'local',
    environment: { PORT: String(port), ...environment },
    needs: RUNNER_UNIT,
    service: [
      'Restart=on-failure',
      'RestartSec=5',
      '# The service ends its builds itself; what is left after that is killed.',
      'KillMode=mixed',
      '# The service with all builds.',
      ...LIMITS,
    ],
    capabilities: capabilitiesFor(port),
  });
}

/** The runner listens, and the service looks before whether the port can be had. */
function capabilitiesFor(port: number): string {
  return port < FIRST_FREE_PORT ? 'CAP_NET_BIND_SERVICE' : '';
}

/** Returns the unit with which systemd runs the applications, also while that of the service is started again. */
export function runnerUnit(installation: Installation): string {
  return unitFile(installation, {
    description: 'Applications of Deployment Webhooks',
    program: 'runner',
    service: [
      'Restart=always',
      'RestartSec=1',
      '# After an upgrade a runner of the new version takes over from the one that was started here.',
      '# systemd before 250 does not know this, and starts the applications again instead.',
      'ExitType=cgroup',
      '# All applications; a limit for each is "memoryLimits" in config.json.',
      ...LIMITS,
    ],
    capabilities: capabilitiesFor(installation.port),
  });
}

/**
 * Returns the unit that calls a command of the operator for what fails, in the folder in which it was printed. It is not
 * closed as the others are: a program that sends mail may need set-group-id.
 */
export function watchUnit({ project, dataDir, node, user }: Installation, folder: string, run: string): string {
  return framed('Notices of Deployment Webhooks', 'deployment-webhooks.service', [
    `User=${specifiers(user)}`,
    `WorkingDirectory=${specifiers(folder)}`,
    `Environment=${quoted(`DATA_DIR=${dataDir}`)}`,
    '# Keeps what it has said already.',
    'Environment=XDG_STATE_HOME=/var/lib',
    'StateDirectory=deployment-webhooks',
    '# "--on error,crashed,ok" says more; of another user than demo with "--user".',
    `ExecStart=${command(node, join(project, 'bin/hooks.mjs'), 'watch', '--run', run)}`,
    '# It ends when the service does not run yet.',
    'Restart=always',
    'RestartSec=5',
  ]);
}

function unitFile({ project, dataDir, writable, node, user }: Installation, unit: Unit): string {
  const { capabilities = '' } = unit;
  const path = [dirname(node), '/usr/local/sbin', '/usr/local/bin', '/usr/sbin', '/usr/bin', '/sbin', '/bin'];
  const PATH = [...new Set(path)].join(delimiter);
  const caches = { XDG_CACHE_HOME: `/var/cache/${CACHE}`, npm_config_cache: `/var/cache/${CACHE}/npm` };
  const variables = { DATA_DIR: dataDir, PATH, RUNNER_LINGER: 'infinity', ...caches, ...unit.environment };
  return framed(unit.description, unit.needs, [
    `User=${specifiers(user)}`,
    `WorkingDirectory=${specifiers(project)}`,
    ...Object.entries(variables).map(([name, value]) => `Environment=${quoted(`${name}=${value}`)}`),
    '# Installs the packages after an upgrade.',
    `ExecStartPre=${command(node, 'bin/install.mjs')}`,
    `ExecStart=${command(node, 'bin/run.mjs', unit.program)}`,
    '# An installation of packages comes before the first start.',
    'TimeoutStartSec=15min',
    'TimeoutStopSec=60',
    ...unit.service,
    ...CLOSED,
    `CapabilityBoundingSet=${capabilities}`,
    ...(capabilities === '' ? [] : [`AmbientCapabilities=${capabilities}`]),
    '# It writes here only: the checkout, in which it installs packages, and the data folder; settings of npm are read at home.',
    'ProtectSystem=strict',
    'ProtectHome=read-only',
    `CacheDirectory=${CACHE}`,
    `ReadWritePaths=${writable.map(quoted).join(' ')}`,
  ]);
}

/** Returns a unit that is started with the machine, when the network and another unit are there. */
function framed(description: string, unit: string | undefined, service: readonly string[]): string {
  const needs = ['network-online.target', ...(unit === undefined ? [] : [unit])].join(' ');
  const begin = ['[Unit]', `Description=${description}`, `Wants=${needs}`, `After=${needs}`, '', '[Service]'];
  return `${[...begin, ...service, '', '[Install]', 'WantedBy=multi-user.target'].join('\n')}\n`;
}

function command(...words: readonly string[]): string {
  // A dollar sign begins a variable in a command only.
  return words.map((word) => quoted(word).replaceAll('$', '$$$$')).join(' ');
}

/** https://www.freedesktop.org/software/systemd/man/latest/systemd.syntax.html#Quoting */
function quoted(word: string): string {
  const text = specifiers(word);
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `"${text.replaceAll(/["\\]/g, '\\$&')}"`;
}

function specifiers(text: string): string {
  return text.replaceAll('%', '%%');
}
